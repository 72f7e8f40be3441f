// Added to the simulated fleet of the AWS provider, which takes the first launch template of a
// request, and the order of these is random. EC2 takes the cheapest of all.
package ec2

import (
	"math"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// lowestPriced is the launch template with the cheapest override of the request.
func (c *Client) lowestPriced(input *ec2.CreateFleetInput) ec2types.FleetLaunchTemplateConfigRequest {
	zones := map[string]string{}
	for _, subnet := range c.subnets {
		zones[*subnet.SubnetId] = *subnet.AvailabilityZone
	}
	capacityType := string(input.TargetCapacitySpecification.DefaultTargetCapacityType)
	best, lowest := input.LaunchTemplateConfigs[0], math.Inf(1)
	for _, config := range input.LaunchTemplateConfigs {
		for _, override := range config.Overrides {
			price := c.strategy.GetScore(string(override.InstanceType), capacityType, zones[*override.SubnetId])
			if price > 0 && price < lowest {
				best, lowest = config, price
			}
		}
	}
	return best
}
