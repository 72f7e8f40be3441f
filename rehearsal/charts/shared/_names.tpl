{{/* How things are called and labelled. Each definition takes the root context, if not said. */}}

{{/* Cluster Autoscaler's chart, and no other, puts its cloud before its name. */}}
{{- define "name" -}}
{{- $name := ternary (printf "%s-%s" .Values.cloudProvider .Chart.Name) .Chart.Name (hasKey .Values "cloudProvider") -}}
{{- .Values.nameOverride | default $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The release's name where the chart's is part of it, as Helm charts commonly do it. */}}
{{- define "fullname" -}}
{{- $name := include "name" . -}}
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
  {{- with .Values.additionalLabels | default .Values.commonLabels }}
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
{{- $all := merge (dict) (index . 1) ((index . 0).Values.additionalAnnotations | default dict) -}}
{{- $_ := set $root.Values "additionalAnnotations" $all -}}
{{- include "metadata" $root -}}
{{- end -}}

{{/* How an object begins: takes a list of root context, API version, kind, name, and, where the
     object has some, annotations. */}}
{{- define "object" -}}
{{- $root := index . 0 -}}
{{- $clusterwide := list "ClusterRole" "ClusterRoleBinding" "CSIDriver" "IngressClass" "IngressClassParams" "StorageClass" -}}
apiVersion: {{ index . 1 }}
kind: {{ index . 2 }}
metadata:
  name: {{ index . 3 }}
  {{- if not (has (index . 2) $clusterwide) }}
  namespace: {{ $root.Release.Namespace }}
  {{- end }}
  {{- $annotations := dict -}}
  {{- if gt (len .) 4 }}{{ $annotations = index . 4 | default dict }}{{ end -}}
  {{- include "annotated" (list $root $annotations) | nindent 2 }}
{{- end -}}

{{/* Takes a list of a map of repository, tag and digest, and the tag where the map has none. */}}
{{- define "image" -}}
{{- $default := index . 1 -}}
{{- with index . 0 -}}
{{- .repository }}:{{ .tag | default $default }}{{ with .digest }}@{{ . }}{{ end -}}
{{- end -}}
{{- end -}}
