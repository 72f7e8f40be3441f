{{/* What a pod has besides its containers. */}}

{{/* Fields whose value goes in as it is, if there is one: takes a list of a map and their names. */}}
{{- define "fields" -}}
{{- $from := index . 0 -}}
{{- range $field := rest . -}}
{{- with index $from $field }}
{{ $field }}: {{ toJson . }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What the values say of a pod under the pod's own names. */}}
{{- define "pod" -}}
serviceAccountName: {{ include "account" . }}
{{- include "fields" (list .Values "dnsConfig" "dnsPolicy" "imagePullSecrets" "initContainers" "nodeSelector" "priorityClassName" "runtimeClassName" "schedulerName" "shareProcessNamespace" "terminationGracePeriodSeconds" "tolerations") }}
{{- with .Values.podSecurityContext }}
securityContext: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Labels and annotations of the pods; the labels are the selector's and the values'. */}}
{{- define "pod-metadata" -}}
labels: {{ merge (include "selector" . | fromYaml) (.Values.podLabels | default dict) | toJson }}
{{- with .Values.podAnnotations }}
annotations: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Rules of placement; those without a label selector of their own mean the chart's pods. */}}
{{- define "selecting-placement" -}}
{{- with .Values.affinity }}
affinity:
  {{- include "affinity" $ | nindent 2 }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- include "spread" $ | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Takes a list of root context and one term; returns the term with a selector. */}}
{{- define "selecting" -}}
{{- $term := deepCopy (index . 1) -}}
{{- if not (hasKey $term "labelSelector") -}}
{{- $_ := set $term "labelSelector" (dict "matchLabels" (include "selector" (index . 0) | fromYaml)) -}}
{{- end -}}
{{- toYaml $term -}}
{{- end -}}

{{- define "affinity" -}}
{{- $root := . -}}
{{- $affinity := deepCopy .Values.affinity -}}
{{- range $kind := list "podAffinity" "podAntiAffinity" -}}
{{- with index $affinity $kind -}}
{{- $required := list -}}
{{- range .requiredDuringSchedulingIgnoredDuringExecution -}}
{{- $required = append $required (include "selecting" (list $root .) | fromYaml) -}}
{{- end -}}
{{- $preferred := list -}}
{{- range .preferredDuringSchedulingIgnoredDuringExecution -}}
{{- $term := include "selecting" (list $root .podAffinityTerm) | fromYaml -}}
{{- $preferred = append $preferred (dict "weight" .weight "podAffinityTerm" $term) -}}
{{- end -}}
{{- $rules := dict -}}
{{- with $required }}{{ $_ := set $rules "requiredDuringSchedulingIgnoredDuringExecution" . }}{{ end -}}
{{- with $preferred }}{{ $_ := set $rules "preferredDuringSchedulingIgnoredDuringExecution" . }}{{ end -}}
{{- $_ := set $affinity $kind $rules -}}
{{- end -}}
{{- end -}}
{{- toYaml $affinity -}}
{{- end -}}

{{- define "spread" -}}
{{- $all := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $all = append $all (include "selecting" (list $ .) | fromYaml) -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}
