{{/* Rights and their bindings to the chart's service account: takes a list of root context and one
     map for each. `name` and `rules` are the role's, `namespace` makes it one of a namespace.
     `binding`: where that is called otherwise; `account`: where it is another service account's.
     Without rules an existing role is bound, of that `kind`. */}}
{{- define "rights" -}}
{{- $root := index . 0 }}
{{- range rest . }}
{{- $scope := ternary "" "Cluster" (hasKey . "namespace") }}
{{- $kind := .kind | default (printf "%sRole" $scope) }}
{{- if .rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  {{- include "metadata" $root | nindent 2 }}
rules: {{ toJson .rules }}
{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $scope }}RoleBinding
metadata:
  name: {{ .binding | default .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  {{- include "metadata" $root | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: {{ $kind }}, name: "{{ .name }}"}
subjects:
  - kind: ServiceAccount
    name: {{ if .account }}{{ .account }}{{ else }}{{ include "account" $root }}{{ end }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
{{- end -}}
