package kube

import (
	"cmp"
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/bootstrap"
)

// fluxLabel is on everything that Flux's own manifests install.
const fluxLabel = "app.kubernetes.io/part-of=flux"

// fluxControllers are the names to look for where nothing has the label.
func fluxControllers() []string {
	return []string{
		"helm-controller", "image-automation-controller", "image-reflector-controller",
		"kustomize-controller", "notification-controller", "source-controller", "source-watcher",
	}
}

// Controllers finds Flux's controllers in a namespace, or in all of them when
// it is empty, sorted by namespace and name. A Deployment that is called like
// one counts where none has Flux's label.
func (c *Client) Controllers(ctx context.Context, namespace string) ([]bootstrap.Controller, error) {
	found, err := c.deployments(ctx, namespace, fluxLabel)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(d appsv1.Deployment) bool { return !isController(d.Name) })
	if len(found) == 0 {
		if found, err = c.deployments(ctx, namespace, ""); err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(d appsv1.Deployment) bool { return !isController(d.Name) })
	}
	controllers := make([]bootstrap.Controller, 0, len(found))
	for n := range found {
		controllers = append(controllers, newController(&found[n]))
	}
	slices.SortFunc(controllers, func(a, b bootstrap.Controller) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return controllers, nil
}

// isController knows shards, kustomize-controller-shard1, as well.
func isController(name string) bool {
	return slices.ContainsFunc(fluxControllers(), func(known string) bool {
		return name == known || strings.HasPrefix(name, known+"-")
	})
}

func (c *Client) deployments(ctx context.Context, namespace, selector string) ([]appsv1.Deployment, error) {
	var items []appsv1.Deployment
	err := c.ask(ctx, func(ctx context.Context) error {
		list, err := c.clientset.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err == nil {
			items = list.Items
		}
		return err
	})
	return items, c.typed(err, request{verb: "list", resource: "deployments.apps", namespace: namespace})
}

func newController(d *appsv1.Deployment) bootstrap.Controller {
	controller := bootstrap.Controller{Namespace: d.Namespace, Name: d.Name, Replicas: 1, Available: d.Status.AvailableReplicas}
	if d.Spec.Replicas != nil {
		controller.Replicas = *d.Spec.Replicas
	}
	if container := managerOf(d.Spec.Template.Spec.Containers); container != nil {
		controller.Version = imageVersion(container.Image)
		controller.Args = slices.Clone(container.Args)
	}
	return controller
}

// managerOf picks the controller among sidecars.
func managerOf(containers []corev1.Container) *corev1.Container {
	if len(containers) == 0 {
		return nil
	}
	if n := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == "manager" }); n >= 0 {
		return &containers[n]
	}
	return &containers[0]
}

// imageVersion returns the tag of registry:port/name:tag@digest.
func imageVersion(image string) string {
	image, digest, _ := strings.Cut(image, "@")
	name := image[strings.LastIndex(image, "/")+1:]
	if _, tag, tagged := strings.Cut(name, ":"); tagged {
		return tag
	}
	return digest
}
