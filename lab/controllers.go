package lab

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/lab/internal/proc"
)

// The names of the controllers that run.
const (
	KustomizeController = "kustomize-controller"
	SourceController    = "source-controller"
)

// controller is one Flux controller as a process. It is started again when it
// ends by itself, as a kubelet would, and when its Deployment is changed.
type controller struct {
	cluster *Cluster
	name    string
	path    string
	args    []string
	env     []string
	health  string

	mu      sync.Mutex
	extra   []string
	process *proc.Process
	stopped bool
}

func (c *Cluster) startControllers(ctx context.Context) error {
	r, err := c.reserve(5)
	if err != nil {
		return err
	}
	announced, localhost := r.Addr(4), []string(nil)
	if c.opts.ServiceArtifacts {
		announced = SourceController + "." + FluxNamespace + ".svc.cluster.local."
		localhost = []string{"SOURCE_CONTROLLER_LOCALHOST=" + r.Addr(4)} // kustomize-controller's own way for that
		c.proxy.serve(servicePath, r.Addr(4))
	}
	if err := os.MkdirAll(c.path("artifacts"), 0o755); err != nil {
		return fmt.Errorf("storage of source-controller: %w", err)
	}
	kc := &controller{
		cluster: c, name: KustomizeController, path: c.bins.KustomizeController,
		health: "http://" + r.Addr(1), extra: c.opts.KustomizeController,
		args: []string{"--metrics-addr=" + r.Addr(0), "--health-addr=" + r.Addr(1)}, env: localhost,
	}
	sc := &controller{
		cluster: c, name: SourceController, path: c.bins.SourceController,
		health: "http://" + r.Addr(3), extra: c.opts.SourceController,
		args: []string{
			"--metrics-addr=" + r.Addr(2), "--health-addr=" + r.Addr(3),
			"--storage-path=" + c.path("artifacts"), "--storage-addr=" + r.Addr(4), "--storage-adv-addr=" + announced,
		},
		env: []string{
			"HTTP_PROXY=" + c.internet.URL(), "HTTPS_PROXY=" + c.internet.URL(), "NO_PROXY=127.0.0.1,localhost",
			// The only authority it is to trust: that of the internet stand-in.
			"SSL_CERT_FILE=" + c.path("ca.crt"), "SSL_CERT_DIR=" + c.path("none"),
		},
	}
	c.mu.Lock()
	c.flux[kc.name], c.flux[sc.name] = kc, sc
	c.mu.Unlock()
	errs := make(chan error, 2)
	for _, ctl := range []*controller{kc, sc} {
		go func() { errs <- ctl.setUp(ctx) }()
	}
	for range 2 {
		if err := <-errs; err != nil {
			return err
		}
	}
	go c.watchDeployments(ctx)
	return nil
}

// setUp makes the controller's user and Deployment and starts the process.
func (k *controller) setUp(ctx context.Context) error {
	c := k.cluster
	cfg, err := c.adminConfig("system:serviceaccount:" + FluxNamespace + ":" + k.name)
	if err != nil {
		return err
	}
	err = writeKubeconfig(c.path(k.name+".kubeconfig"), c.apiURL(), cfg.CAData, map[string]any{
		"client-certificate-data": cfg.CertData, "client-key-data": cfg.KeyData,
	})
	if err != nil {
		return err
	}
	if err := c.ApplyObjects(ctx, []*unstructured.Unstructured{k.serviceAccount(), k.deployment()}, "flux"); err != nil {
		return err
	}
	return k.start(ctx)
}

func (k *controller) serviceAccount() *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ServiceAccount",
		"metadata": map[string]any{"name": k.name, "namespace": FluxNamespace},
	}}
	obj.SetLabels(fluxLabels(map[string]string{"app.kubernetes.io/component": k.name}))
	return obj
}

// deployment is what a look at the cluster finds of the controller; the
// workload stand-in makes it available.
func (k *controller) deployment() *unstructured.Unstructured {
	args := []any{"--watch-all-namespaces=true"}
	for _, a := range k.extra {
		args = append(args, a)
	}
	labels := map[string]any{"app": k.name}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": k.name, "namespace": FluxNamespace},
		"spec": map[string]any{
			"replicas": int64(1),
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{
					"serviceAccountName": k.name,
					"containers": []any{map[string]any{
						"name": "manager", "image": "registry.example.org/fluxcd/" + k.name + ":" + FluxVersion, "args": args,
					}},
				},
			},
		},
	}}
	obj.SetLabels(fluxLabels(map[string]string{"app.kubernetes.io/component": k.name, "control-plane": "controller"}))
	return obj
}

// start runs the process and returns when it is ready.
func (k *controller) start(ctx context.Context) error {
	k.mu.Lock()
	if k.stopped {
		k.mu.Unlock()
		return fmt.Errorf("%s: the cluster has been stopped", k.name)
	}
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Spec{
		Guard: k.cluster.bins.Guard, Name: k.name, Path: k.path, Log: k.cluster.Log(k.name),
		Args: append(append([]string{"--events-addr=", "--log-level=info"}, k.args...), k.extra...),
		Env: append([]string{
			"KUBECONFIG=" + k.cluster.path(k.name+".kubeconfig"), "RUNTIME_NAMESPACE=" + FluxNamespace,
			"TMPDIR=" + k.cluster.dir,
		}, k.env...),
	})
	if err != nil {
		k.mu.Unlock()
		return err
	}
	k.process = p
	k.mu.Unlock()
	go k.revive(ctx, p)
	return k.cluster.poll(ctx, p, time.Minute, k.health+"/readyz", http.DefaultClient)
}

// revive starts the controller again when this process ends and nobody asked
// for that. A stopped or replaced process is not the current one any more.
func (k *controller) revive(ctx context.Context, p *proc.Process) {
	<-p.Done()
	pause := time.NewTimer(time.Second)
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return
	case <-pause.C:
	}
	k.mu.Lock()
	current := k.process == p && !k.stopped
	k.mu.Unlock()
	if current {
		k.cluster.opts.Logf("%s ended by itself; starting it again", k.name)
		if err := k.start(ctx); err != nil && ctx.Err() == nil {
			k.cluster.opts.Logf("%s: %v", k.name, err)
		}
	}
}

// pause kills the process and keeps it down until start.
func (k *controller) pause() {
	k.mu.Lock()
	p := k.process
	k.process = nil
	k.mu.Unlock()
	if p != nil {
		p.Stop()
	}
}

func (k *controller) stop() {
	k.mu.Lock()
	k.stopped = true
	k.mu.Unlock()
	k.pause()
}

// StopController kills a Flux controller; it stays down until StartController.
func (c *Cluster) StopController(name string) error {
	k, err := c.controller(name)
	if err != nil {
		return err
	}
	k.pause()
	return nil
}

// StartController starts a Flux controller that was stopped, with these extra
// flags in place of those it had; without any it keeps them.
func (c *Cluster) StartController(ctx context.Context, name string, flags ...string) error {
	k, err := c.controller(name)
	if err != nil {
		return err
	}
	k.pause()
	if len(flags) > 0 {
		k.mu.Lock()
		k.extra = flags
		k.mu.Unlock()
	}
	return k.start(ctx)
}

func (c *Cluster) controller(name string) (*controller, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.flux[name]
	if !ok {
		return nil, fmt.Errorf("there is no controller %q in this cluster", name)
	}
	return k, nil
}

// watchDeployments restarts a controller when the pod template of its
// Deployment is changed, which is what `kubectl rollout restart` does.
func (c *Cluster) watchDeployments(ctx context.Context) {
	gvr := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	restarted := map[string]string{}
	_ = every(ctx, time.Second, func() (bool, error) {
		list, err := c.client.dynamic.Resource(gvr).Namespace(FluxNamespace).List(ctx, metav1.ListOptions{
			LabelSelector: "control-plane=controller",
		})
		if err != nil {
			return false, nil //nolint:nilerr // the API server may be down on purpose
		}
		for _, d := range list.Items {
			at, _, _ := unstructured.NestedString(d.Object,
				"spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
			if was, known := restarted[d.GetName()]; known && was != at {
				c.opts.Logf("%s is restarted: its Deployment was changed", d.GetName())
				if err := c.StartController(ctx, d.GetName()); err != nil && ctx.Err() == nil {
					c.opts.Logf("restart %s: %v", d.GetName(), err)
				}
			}
			restarted[d.GetName()] = at
		}
		return false, nil
	})
}
