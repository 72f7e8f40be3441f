"""Lists every kind of thing to look for, in the order of removal: users before what they use."""

from frugal_eks.sweep import balancers, compute, network, storage, ways_out
from frugal_eks.sweep.things import Kind

KINDS = (
    Kind(name="Auto Scaling group", look=compute.groups, remove=compute.remove_group),
    Kind(name="instance", look=compute.instances, remove=compute.remove_instance),
    Kind(
        name="load balancer",
        look=balancers.load_balancers,
        remove=balancers.remove_load_balancer,
    ),
    Kind(
        name="classic load balancer",
        look=balancers.classic_load_balancers,
        remove=balancers.remove_classic_load_balancer,
    ),
    Kind(name="target group", look=balancers.target_groups, remove=balancers.remove_target_group),
    Kind(
        name="NAT gateway",
        look=ways_out.nat_gateways,
        remove=ways_out.remove_nat_gateway,
        made_by_up=True,
    ),
    Kind(
        name="elastic IP",
        look=ways_out.addresses,
        remove=ways_out.remove_address,
        made_by_up=True,
    ),
    Kind(name="network interface", look=network.interfaces, remove=network.remove_interface),
    Kind(name="security group", look=network.security_groups, remove=network.remove_security_group),
    Kind(
        name="launch template",
        look=compute.launch_templates,
        remove=compute.remove_launch_template,
    ),
    Kind(
        name="instance profile",
        look=compute.instance_profiles,
        remove=compute.remove_instance_profile,
    ),
    Kind(
        name="OIDC provider",
        look=ways_out.oidc_providers,
        remove=ways_out.remove_oidc_provider,
        made_by_up=True,
    ),
    Kind(name="volume", look=storage.volumes, remove=storage.remove_volume, keeps_data=True),
    Kind(name="log group", look=storage.log_groups, remove=storage.remove_log_group),
)
