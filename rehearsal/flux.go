package rehearsal

import (
	"fmt"
	"strconv"
	"strings"
)

// The minor versions of Flux 2 whose decisions the model knows.
const (
	oldestFlux = 4
	newestFlux = 9
)

// Flux is a minor version of Flux 2; zero is the newest that is known.
type Flux struct{ minor int }

// ParseFlux reads a version such as 2.9, v2.9.1 or 2.9.x.
func ParseFlux(text string) (Flux, error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if text == "" {
		return Flux{}, nil
	}
	if len(parts) >= 2 && parts[0] == "2" {
		if minor, err := strconv.Atoi(parts[1]); err == nil && minor >= oldestFlux && minor <= newestFlux {
			return Flux{minor}, nil
		}
	}
	return Flux{}, fmt.Errorf("the version %q of Flux is not known: 2.%d to 2.%d are", text, oldestFlux, newestFlux)
}

func (f Flux) since(minor int) bool { return f.minor == 0 || f.minor >= minor }

// strict: StrictPostBuildSubstitutions is on by default (kustomize-controller
// 1.9).
func (f Flux) strict() bool { return f.since(9) }

// customStages: --custom-apply-stage-kinds (kustomize-controller 1.8).
func (f Flux) customStages() bool { return f.since(8) }

// readyExpr, before which the field was not there and was dropped
// (kustomize-controller 1.7).
func (f Flux) readyExpr() bool { return f.since(7) }

// clusterRolesFirst: a ClusterRole is applied with the definitions
// (fluxcd/pkg/ssa 0.50, kustomize-controller 1.7).
func (f Flux) clusterRolesFirst() bool { return f.since(7) }

// retryOnFailure is a strategy of HelmReleases (helm-controller 1.4).
func (f Flux) retryOnFailure() bool { return f.since(7) }

// healthCheckExprs (kustomize-controller 1.5).
func (f Flux) healthCheckExprs() bool { return f.since(5) }
