{{/* The program's flags: a list says its flag once for each of its values. */}}
{{- define "arguments" -}}
- --log-level={{ .Values.logLevel }}
- --log-format={{ .Values.logFormat }}
- --interval={{ .Values.interval }}
{{- if .Values.triggerLoopOnEvent }}
- --events
{{- end }}
{{- range .Values.sources }}
- --source={{ . }}
{{- end }}
- --policy={{ .Values.policy }}
- --registry={{ .Values.registry }}
{{- if ne .Values.registry "noop" }}
{{- with .Values.txtOwnerId }}
- --txt-owner-id={{ . }}
{{- end }}
{{- end }}
{{- if eq .Values.registry "txt" }}
{{- if and .Values.txtPrefix .Values.txtSuffix }}{{ fail "txtPrefix and txtSuffix exclude each other" }}{{ end }}
{{- range $flag, $value := dict "txt-prefix" .Values.txtPrefix "txt-suffix" .Values.txtSuffix }}
{{- with $value }}
- --{{ $flag }}={{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.domainFilters }}
- --domain-filter={{ . }}
{{- end }}
{{- range .Values.excludeDomains }}
- --exclude-domains={{ . }}
{{- end }}
{{- range $flag, $value := dict "label-filter" .Values.labelFilter "annotation-filter" .Values.annotationFilter "annotation-prefix" .Values.annotationPrefix }}
{{- with $value }}
- --{{ $flag }}={{ . }}
{{- end }}
{{- end }}
{{- range .Values.managedRecordTypes }}
- --managed-record-types={{ . }}
{{- end }}
- --provider={{ .Values.provider.name }}
{{- include "extra" .Values.extraArgs }}
{{- end -}}

{{/* A list of whole flags, or a map: true is the flag alone, false its opposite. */}}
{{- define "extra" -}}
{{- if kindIs "map" . }}
{{- range $flag, $value := . }}
{{- if kindIs "bool" $value }}
- --{{ ternary "" "no-" $value }}{{ $flag }}
{{- else }}
{{- range ternary $value (list $value) (kindIs "slice" $value) }}
- --{{ $flag }}={{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- else }}
{{- range . }}
- {{ . }}
{{- end }}
{{- end }}
{{- end -}}
