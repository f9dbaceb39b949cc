package rehearsal

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// settings are the flags with which the tree runs Flux's controllers.
type settings struct {
	concurrent map[string]int // by controller; its default is defaultConcurrent
	// customKinds are those of --custom-apply-stage-kinds.
	customKinds []catalog.GroupKind
	// additive and retry are the gates AdditiveCELDependencyCheck and
	// DefaultToRetryOnFailure.
	additive, retry bool
	// artifacts is the gate ExternalArtifact, and deployed says that the tree has
	// the Deployment whose flags decide on it.
	artifacts, deployed bool
}

// refusesArtifacts reports whether kustomize-controller is known to refuse
// ExternalArtifacts. `flux install` and the Flux Operator open the gate together
// with source-watcher.
func (s *settings) refusesArtifacts() bool { return s.deployed && !s.artifacts }

// defaultConcurrent is --concurrent of kustomize- and helm-controller.
const defaultConcurrent = 4

var (
	concurrentFlag = regexp.MustCompile(`--concurrent=(\d+)`)
	customFlag     = regexp.MustCompile(`--custom-apply-stage-kinds=([A-Za-z0-9./,-]+)`)
	gateFlag       = regexp.MustCompile(`--feature-gates=([A-Za-z0-9=,]+)`)
)

// readSettings looks for the controllers in the tree: their Deployments, as the
// patches of `flux bootstrap` leave them, or the patches of a FluxInstance or of
// the chart that makes one.
func (w *walk) readSettings() {
	w.settings = settings{concurrent: map[string]int{}}
	for _, n := range w.order {
		for _, o := range n.objects() {
			switch gk := kindOf(o); {
			case gk == catalog.GroupKind{Group: "apps", Kind: "Deployment"} && strings.HasSuffix(o.GetName(), "-controller"):
				w.settings.read(o.GetName(), textOf(o))
				w.settings.deployed = w.settings.deployed || o.GetName() == "kustomize-controller"
			case gk == catalog.GroupKind{Group: "fluxcd.controlplane.io", Kind: "FluxInstance"}:
				w.settings.readInstance(mapAt(o.Unstructured, "spec"))
			case o.IsHelmRelease() && path.Base(w.releaseOf(o).Chart) == "flux-instance":
				spec, _ := w.releaseOf(o).Values["instance"].(map[string]any)
				w.settings.readInstance(spec)
			}
		}
	}
}

func textOf(o manifests.Object) string {
	data, err := json.Marshal(o.Object)
	if err != nil {
		return "" // it was read from the same form
	}
	return string(data)
}

func (s *settings) readInstance(spec map[string]any) {
	for _, patch := range listAt(&unstructured.Unstructured{Object: spec}, "kustomize", "patches") {
		target, _ := patch["target"].(map[string]any)
		name, _ := target["name"].(string)
		text, _ := patch["patch"].(string)
		for _, controller := range []string{"kustomize-controller", "helm-controller"} {
			// The name of a target is a regular expression (kustomize, types.Selector).
			if re, err := regexp.Compile("^(?:" + name + ")$"); name == "" || err == nil && re.MatchString(controller) {
				s.read(controller, text)
			}
		}
	}
}

func (s *settings) read(controller, text string) {
	if m := concurrentFlag.FindAllStringSubmatch(text, -1); len(m) > 0 {
		if n, err := strconv.Atoi(m[len(m)-1][1]); err == nil && n > 0 { // the last one counts
			s.concurrent[controller] = n
		}
	}
	for _, m := range gateFlag.FindAllStringSubmatch(text, -1) {
		on := func(gate string) bool { return strings.Contains(m[1], gate+"=true") }
		switch controller {
		case "kustomize-controller":
			s.additive = s.additive || on("AdditiveCELDependencyCheck")
			s.artifacts = s.artifacts || on("ExternalArtifact")
		case "helm-controller":
			s.retry = s.retry || on("DefaultToRetryOnFailure")
		}
	}
	if m := customFlag.FindStringSubmatch(text); m != nil && controller == "kustomize-controller" {
		for _, kind := range strings.Split(m[1], ",") {
			group, name, ok := strings.Cut(kind, "/")
			if !ok {
				group, name = "", kind
			}
			s.customKinds = append(s.customKinds, catalog.GroupKind{Group: group, Kind: name})
		}
	}
}

// workers is how many passes of a controller run at a time.
func (s *stage) workers(controller string) int {
	if s.w.opts.Concurrent > 0 {
		return s.w.opts.Concurrent
	}
	if n := s.w.settings.concurrent[controller]; n > 0 {
		return n
	}
	return defaultConcurrent
}

func groupKindOf(apiVersion, kind string) schema.GroupKind {
	return schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()
}
