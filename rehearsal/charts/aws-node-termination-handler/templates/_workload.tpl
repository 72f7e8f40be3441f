{{/* What Deployment and DaemonSet have in common. */}}

{{- define "component" -}}
{{- ternary "deployment" "daemonset" .Values.enableSqsTerminationDraining -}}
{{- end -}}

{{/* How the pods are selected. */}}
{{- define "selected" -}}
{{ include "selector" . }}
app.kubernetes.io/component: {{ include "component" . }}
{{- if not .Values.enableSqsTerminationDraining }}
kubernetes.io/os: linux
{{- end }}
{{- end -}}

{{/* How an object begins, labelled as upstream's are: takes a list of root context, API version,
     kind, name, and more labels. */}}
{{- define "begin" -}}
{{- $root := index . 0 -}}
{{- $labelled := deepCopy $root -}}
{{- $labels := merge (dict "app.kubernetes.io/part-of" $root.Release.Name) (index . 4) $root.Values.customLabels -}}
{{- $_ := set $labelled.Values "additionalLabels" $labels -}}
{{- include "object" (list $labelled (index . 1) (index . 2) (index . 3)) -}}
{{- end -}}

{{/* Its labels, and those that the values give the pods. */}}
{{- define "pod-labels" -}}
{{- $more := merge (dict) .Values.podLabels -}}
{{- if not .Values.enableSqsTerminationDraining }}{{ $more = merge (dict) .Values.linuxPodLabels $more }}{{ end -}}
{{- merge (include "selected" . | fromYaml) (dict "k8s-app" "aws-node-termination-handler") $more | toJson -}}
{{- end -}}

{{- define "container" -}}
- name: aws-node-termination-handler
  image: {{ include "image" (list .Values.image (printf "v%s" .Chart.AppVersion)) }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  {{- include "fields" (list .Values "resources" "securityContext") | nindent 2 }}
  env:
    {{- include "environment" . | nindent 4 }}
  {{- if or .Values.enableSqsTerminationDraining .Values.enableProbesServer }}
  livenessProbe: {{ toJson .Values.probes }}
  ports:
    - {name: liveness-probe, protocol: TCP, containerPort: {{ .Values.probes.httpGet.port }}}
  {{- end }}
  {{- if not .Values.enableSqsTerminationDraining }}
  volumeMounts:
    - {name: uptime, mountPath: {{ .Values.procUptimeFile }}, readOnly: true}
  {{- end }}
{{- end -}}
