package rehearsal

import (
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// hostKey stands for a host that must answer before a source can be fetched.
func hostKey(host string) objectKey { return objectKey{kind: "Host", name: host} }

// indexHosts notes which objects of the tree serve the hosts of its own sources:
// Flux cannot read from a server that it has yet to deploy.
func (s *stage) indexHosts() {
	seen := map[string]bool{"": true}
	for _, n := range s.w.order {
		host := s.hostOf(n.source)
		if seen[host] {
			continue
		}
		seen[host] = true
		for _, c := range s.servers(host) {
			s.index[hostKey(host)] = append(s.index[hostKey(host)], c)
			s.hosts[keyOf(c.object)] = append(s.hosts[keyOf(c.object)], host)
		}
	}
}

func (s *stage) hostOf(source tiers.Ref) string {
	url := s.w.urlOf(source)
	host, _, _ := strings.Cut(url, "/")
	host, _, _ = strings.Cut(host, ":")
	return host
}

// servers finds what serves a host: the Service or release behind a name of the
// cluster, or the route that has the host's name.
func (s *stage) servers(host string) []creator {
	var found []creator
	service, namespace, inside := clusterName(host)
	for _, n := range s.w.order {
		for _, o := range n.objects() {
			if o.LeftAlone() {
				continue
			}
			if inside && servesName(o, service, namespace) || !inside && slices.Contains(hostnames(o), host) {
				found = append(found, creator{node: n, object: o, how: byInstall})
			}
		}
	}
	return found
}

// clusterName splits service.namespace.svc, with or without the cluster's domain.
func clusterName(host string) (service, namespace string, ok bool) {
	parts := strings.Split(host, ".")
	if len(parts) >= 3 && parts[2] == "svc" {
		return parts[0], parts[1], true
	}
	return "", "", false
}

func servesName(o manifests.Object, service, namespace string) bool {
	if o.IsHelmRelease() {
		target := text(o.Unstructured, "spec", "targetNamespace")
		if target == "" {
			target = o.GetNamespace()
		}
		words := strings.Split(o.GetName(), "-")
		return target == namespace && slices.ContainsFunc(strings.Split(service, "-"), func(w string) bool { return slices.Contains(words, w) })
	}
	return kindOf(o) == catalog.GroupKind{Kind: "Service"} && o.GetName() == service && o.GetNamespace() == namespace
}

// hostnames are those of an Ingress, or of a route of the Gateway API.
func hostnames(o manifests.Object) []string {
	var found []string
	switch gk := kindOf(o); {
	case gk == catalog.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}:
		for _, rule := range listAt(o.Unstructured, "spec", "rules") {
			if host, _ := rule["host"].(string); host != "" {
				found = append(found, host)
			}
		}
	case gk.Group == "gateway.networking.k8s.io" && strings.HasSuffix(gk.Kind, "Route"):
		spec := mapAt(o.Unstructured, "spec")
		names, _ := spec["hostnames"].([]any)
		for _, name := range names {
			if host, _ := name.(string); host != "" {
				found = append(found, host)
			}
		}
	}
	return found
}
