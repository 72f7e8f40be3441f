{{/* The program's flags. What follows a `_` in a key is dropped, so that a flag can repeat. */}}
{{- define "arguments" -}}
- --cloud-provider={{ .Values.cloudProvider }}
- --namespace={{ .Release.Namespace }}
{{- range .Values.autoscalingGroups }}
- --nodes={{ .minSize }}:{{ .maxSize }}:{{ .name }}
{{- end }}
{{- if .Values.autoDiscovery.clusterName }}
- --node-group-auto-discovery=asg:tag={{ tpl (join "," .Values.autoDiscovery.tags) . }}
{{- end }}
{{- with .Values.cloudConfigPath }}
- --cloud-config={{ . }}
{{- end }}
{{- range $key, $value := .Values.extraArgs }}
- --{{ splitList "_" $key | first }}{{ if not (kindIs "invalid" $value) }}={{ $value }}{{ end }}
{{- end }}
{{- range .Values.customArgs }}
- {{ . }}
{{- end }}
{{- end -}}

{{/* Something, if groups are chosen by their priority. */}}
{{- define "by-priority" -}}
{{- if has "priority" (splitList "," (.Values.extraArgs.expander | default "")) }}true{{ end -}}
{{- end -}}
