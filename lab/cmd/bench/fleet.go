package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The tree of a rehearsal: as many Kustomizations and HelmReleases as the largest
// of the public trees that standup was tried on.
const (
	fleetKustomizations = 232
	fleetReleases       = 170
	fleetEntry          = "clusters/prod"
)

// writeFleet writes a tree of that size in the layout that such trees have: a
// directory an application with a release, its chart's source, a Secret from
// outside and a shared component. It gives the directories that are built.
func writeFleet(root string) ([]string, error) {
	files := map[string]string{
		"components/common/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [alert.yaml]\n",
		"components/common/alert.yaml":         "apiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Provider\nmetadata: {name: alerts}\nspec: {type: generic, address: https://alerts.example.org}\n",
	}
	dirs := []string{fleetEntry}
	var entry strings.Builder
	entry.WriteString("resources:\n")
	for i := 1; i < fleetKustomizations; i++ {
		name := fmt.Sprintf("app-%03d", i)
		dir := "apps/" + name
		dirs = append(dirs, dir)
		fmt.Fprintf(&entry, "  - %s.yaml\n", name)
		files[fleetEntry+"/"+name+".yaml"] = fleetKustomization(name, dir, i)
		resources := "namespace.yaml, settings.yaml"
		files[dir+"/namespace.yaml"] = fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name)
		files[dir+"/settings.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {domain: '${DOMAIN}', zone: '${ZONE}'}\n"
		if i <= fleetReleases {
			resources += ", source.yaml, release.yaml, secret.yaml"
			files[dir+"/source.yaml"] = fmt.Sprintf("apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: %s}\nspec: {interval: 1h, url: 'oci://registry.example.org/charts/app-template', ref: {tag: 4.0.0}}\n", name)
			files[dir+"/release.yaml"] = fleetRelease(name)
			files[dir+"/secret.yaml"] = fmt.Sprintf("apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: %[1]s}\nspec:\n  secretStoreRef: {kind: ClusterSecretStore, name: vault}\n  target: {name: %[1]s-secret}\n  dataFrom: [{extract: {key: %[1]s}}]\n", name)
		}
		files[dir+"/kustomization.yaml"] = fmt.Sprintf("namespace: %s\nresources: [%s]\ncomponents: [../../components/common]\n", name, resources)
	}
	files[fleetEntry+"/kustomization.yaml"] = entry.String()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// fleetKustomization has every tenth application depend on the one before.
func fleetKustomization(name, dir string, i int) string {
	depends := ""
	if i%10 == 0 {
		depends = fmt.Sprintf("  dependsOn: [{name: app-%03d}]\n", i-1)
	}
	return fmt.Sprintf(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s, namespace: flux-system}
spec:
  interval: 1h
  retryInterval: 1m
  path: ./%s
  prune: true
  wait: true
%s  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substitute: {DOMAIN: example.org, ZONE: north}}
`, name, dir, depends)
}

func fleetRelease(name string) string {
	return fmt.Sprintf(`apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %[1]s}
spec:
  interval: 1h
  chartRef: {kind: OCIRepository, name: %[1]s}
  install: {remediation: {retries: -1}}
  values:
    controllers:
      %[1]s:
        replicas: 2
        containers:
          app:
            image: {repository: registry.example.org/%[1]s, tag: 1.2.3}
            env: {TZ: Etc/UTC, DOMAIN: '${DOMAIN}'}
            envFrom: [{secretRef: {name: %[1]s-secret}}]
            probes: {liveness: {enabled: true}, readiness: {enabled: true}}
            resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {memory: 256Mi}}
    service: {app: {controller: %[1]s, ports: {http: {port: 8080}}}}
    route:
      app:
        hostnames: ['%[1]s.${DOMAIN}']
        parentRefs: [{name: internal, namespace: network}]
    persistence: {data: {existingClaim: %[1]s, globalMounts: [{path: /data}]}}
`, name)
}
