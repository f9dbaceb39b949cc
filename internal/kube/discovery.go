package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientdiscovery "k8s.io/client-go/discovery"
)

// discovery asks what the API server serves, one group at a time: one
// aggregated API that is down must not hide all the others.
type discovery interface {
	version(ctx context.Context) (string, error)
	// versions lists a group's versions, preferred first.
	versions(ctx context.Context, group string) ([]string, error)
	resources(ctx context.Context, gv schema.GroupVersion) ([]metav1.APIResource, error)
}

// restDiscovery is discovery on a real API server.
type restDiscovery struct {
	client clientdiscovery.DiscoveryInterfaces
}

func (d restDiscovery) version(ctx context.Context) (string, error) {
	info, err := d.client.ServerVersionWithContext(ctx)
	if err != nil {
		return "", err
	}
	return info.GitVersion, nil
}

func (d restDiscovery) versions(ctx context.Context, group string) ([]string, error) {
	if group == "" {
		return []string{"v1"}, nil // the core group has no others, and no such page
	}
	var found metav1.APIGroup
	if err := d.client.RESTClient().Get().AbsPath("/apis/" + group).Do(ctx).Into(&found); err != nil {
		return nil, err
	}
	names := []string{found.PreferredVersion.Version}
	for _, v := range found.Versions {
		if v.Version != names[0] {
			names = append(names, v.Version)
		}
	}
	return names, nil
}

func (d restDiscovery) resources(ctx context.Context, gv schema.GroupVersion) ([]metav1.APIResource, error) {
	list, err := d.client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
	if err != nil {
		return nil, err
	}
	return list.APIResources, nil
}
