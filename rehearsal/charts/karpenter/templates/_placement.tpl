{{/* Rules of placement without a label selector of their own mean the controller's pods. */}}

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
