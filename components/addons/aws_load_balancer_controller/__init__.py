"""AWS Load Balancer Controller: makes an NLB for a Service and an ALB for an Ingress."""
