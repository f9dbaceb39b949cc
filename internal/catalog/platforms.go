package catalog

import (
	_ "embed"
	"fmt"
)

//go:embed platforms.yaml
var platformsYAML []byte

// Platform is a distribution of Kubernetes that serves kinds by itself.
type Platform struct {
	// Name is the distribution, as a person would say it, and on what condition.
	Name string `yaml:"name"`
	// Source is the address where the fact was read.
	Source string `yaml:"source"`
	// Groups are the API groups that are its own.
	Groups []string `yaml:"groups"`
}

// Platform finds the distribution whose kind it is. It is there where the cluster
// is of that distribution, which is not in git.
func (c *Catalog) Platform(gk GroupKind) (Platform, bool) {
	for _, p := range c.platforms {
		if anyGroup(p.Groups, gk.Group) {
			return p, true
		}
	}
	return Platform{}, false
}

func loadPlatforms() ([]Platform, error) {
	var list struct {
		Platforms []Platform `yaml:"platforms"`
	}
	doc, err := decode("platforms.yaml", platformsYAML, &list)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	for i, p := range list.Platforms {
		if p.Name == "" || p.Source == "" || len(p.Groups) == 0 {
			return nil, fmt.Errorf("catalogue: %w", doc.fault(fmt.Sprintf("platforms[%d]", i), "a platform lacks its name, source or groups"))
		}
	}
	return list.Platforms, nil
}
