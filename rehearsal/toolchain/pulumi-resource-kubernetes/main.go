// The Kubernetes provider's own command cannot be built from its module: the schema it embeds is generated.
// A schema is only needed to generate SDKs, so an empty one serves.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

func main() {
	provider.Serve("kubernetes", version.Version, []byte("{}"), []byte("{}"))
}
