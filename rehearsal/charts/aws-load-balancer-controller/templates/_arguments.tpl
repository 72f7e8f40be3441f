{{/* The controller's flags and the values that they come from. */}}
{{- define "flags" -}}
aws-api-endpoints: awsApiEndpoints
aws-max-retries: awsMaxRetries
aws-region: region
aws-vpc-id: vpcId
backend-security-group: backendSecurityGroup
default-load-balancer-scheme: defaultLoadBalancerScheme
default-ssl-policy: defaultSSLPolicy
disable-ingress-class-annotation: disableIngressClassAnnotation
disable-ingress-group-name-annotation: disableIngressGroupNameAnnotation
disable-restricted-sg-rules: disableRestrictedSecurityGroupRules
enable-backend-security-group: enableBackendSecurityGroup
enable-endpoint-slices: enableEndpointSlices
enable-manage-backend-security-group-rules: enableManageBackendSecurityGroupRules
enable-pod-readiness-gate-inject: enablePodReadinessGateInject
enable-shield: enableShield
enable-waf: enableWaf
enable-wafv2: enableWafv2
ingress-class: ingressClass
ingress-max-concurrent-reconciles: ingressMaxConcurrentReconciles
load-balancer-class: loadBalancerClass
log-level: logLevel
metrics-bind-addr: metricsBindAddr
service-max-concurrent-reconciles: serviceMaxConcurrentReconciles
sync-period: syncPeriod
targetgroupbinding-max-concurrent-reconciles: targetgroupbindingMaxConcurrentReconciles
targetgroupbinding-max-exponential-backoff-delay: targetgroupbindingMaxExponentialBackoffDelay
tolerate-non-existent-backend-action: tolerateNonExistentBackendAction
tolerate-non-existent-backend-service: tolerateNonExistentBackendService
watch-namespace: watchNamespace
webhook-bind-port: webhookBindPort
{{- end -}}

{{/* A map as the controller's flags take it: a=b,c=d */}}
{{- define "pairs" -}}
{{- $pairs := list -}}
{{- range $key, $value := . }}{{ $pairs = append $pairs (printf "%s=%v" $key $value) }}{{ end -}}
{{- join "," $pairs -}}
{{- end -}}

{{- define "arguments" -}}
- --cluster-name={{ required "clusterName must name the cluster" .Values.clusterName }}
{{- range $flag, $key := include "flags" . | fromYaml }}
{{- $value := index $.Values $key }}
{{- /* false is said, what is not given is not. */}}
{{- if not (has $value (list nil "")) }}
- --{{ $flag }}={{ $value }}
{{- end }}
{{- end }}
{{- if ne .Values.defaultTargetType "instance" }}
- --default-target-type={{ .Values.defaultTargetType }}
{{- end }}
{{- range $flag, $map := dict "aws-vpc-tags" .Values.vpcTags "default-tags" .Values.defaultTags "feature-gates" .Values.controllerConfig.featureGates }}
{{- with $map }}
- --{{ $flag }}={{ include "pairs" . }}
{{- end }}
{{- end }}
{{- range $flag, $values := dict "aws-api-throttle" .Values.awsApiThrottle "external-managed-tags" .Values.externalManagedTags }}
{{- with $values }}
- --{{ $flag }}={{ join "," . }}
{{- end }}
{{- end }}
{{- end -}}
