"""AWS Load Balancer Controller: makes an NLB for a Service and an ALB for an Ingress."""

from .component import (
    INGRESS_CLASS,
    LOAD_BALANCER_CLASS,
    AwsLoadBalancerController,
    AwsLoadBalancerControllerArgs,
    AwsLoadBalancerControllerConfig,
)

__all__ = [
    "INGRESS_CLASS",
    "LOAD_BALANCER_CLASS",
    "AwsLoadBalancerController",
    "AwsLoadBalancerControllerArgs",
    "AwsLoadBalancerControllerConfig",
]
