{{/* How things are called and labelled. Each definition takes the root context. */}}

{{- define "name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The release's name where the chart's is part of it, as Helm charts commonly do it. */}}
{{- define "fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $long := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $long | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "selector" -}}
app.kubernetes.io/name: {{ include "name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels and annotations that every object has. */}}
{{- define "metadata" -}}
labels:
  {{- include "selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
  {{- with .Values.additionalLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.additionalAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The same with annotations of its own: takes a list of root context and annotations. */}}
{{- define "annotated" -}}
{{- $root := deepCopy (index . 0) -}}
{{- $all := merge (dict) (index . 1) (index . 0).Values.additionalAnnotations -}}
{{- $_ := set $root.Values "additionalAnnotations" $all -}}
{{- include "metadata" $root -}}
{{- end -}}

{{- define "image" -}}
{{- with .Values.controller.image -}}
{{- .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ with .digest }}@{{ . }}{{ end -}}
{{- end -}}
{{- end -}}
