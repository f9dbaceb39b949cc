// Package lab brings up a real Kubernetes control plane with real Flux
// controllers, for tests, demonstrations and benchmarks.
//
// etcd, kube-apiserver, kustomize-controller and source-controller are the real
// programs, as processes on loopback ports; git trees are served over smart
// HTTP from this process. What would need machines, images or the internet is
// stood in by package standin: workloads become available, HelmReleases become
// Ready, CDI brings its kinds, chart repositories answer.
//
// What a lab cluster has not: kube-controller-manager (namespaces are never
// finalised, owner references are never collected, service accounts are not
// made by themselves), scheduler, kubelet, pods, DNS, and helm-, notification-
// and image controllers.
//
// Nothing outlives the process that called Start, not even after kill -9.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/standup-sh/standup/lab/binaries"
	"github.com/standup-sh/standup/lab/internal/gitserver"
	"github.com/standup-sh/standup/lab/internal/pki"
	"github.com/standup-sh/standup/lab/internal/ports"
	"github.com/standup-sh/standup/lab/internal/proc"
	"github.com/standup-sh/standup/lab/standin"
)

// FluxNamespace is where the Flux controllers and their objects are.
const FluxNamespace = "flux-system"

// Options say what kind of cluster Start brings up. The zero value is a cluster
// with both controllers, all stand-ins and Flux's own default timers.
type Options struct {
	// Logf gets progress lines; nil drops them.
	Logf func(format string, args ...any)
	// KustomizeController and SourceController are extra flags of the
	// controllers, for example --requeue-dependency=5s.
	KustomizeController, SourceController []string
	// ServiceArtifacts makes source-controller announce its artifacts at the
	// address of its Service, as on a real cluster. From outside that leads
	// nowhere: only the fault proxy, which stands in for the API server's own
	// proxy to Services, knows the way (there are no pods, and the API server
	// refuses to go to loopback).
	ServiceArtifacts bool
	// APIServer are extra flags of kube-apiserver.
	APIServer []string
	// NoControllers leaves the Flux controllers out: API server and CRDs only.
	NoControllers bool
	// NoStandIns leaves all stand-ins out: no workload ever becomes available.
	NoStandIns bool
	// StandIns sets the delays of the stand-ins.
	StandIns standin.Options
	// AgeKeyFile becomes the Secret flux-system/sops-age. Where it is empty,
	// Push looks for a file named lab-age.agekey in the tree.
	AgeKeyFile string
	// KeepDir leaves the working directory in place after Stop, for a post-mortem.
	KeepDir bool
}

// Cluster is a running lab cluster.
type Cluster struct {
	opts Options
	bins *binaries.Set
	dir  string
	lock *os.File
	stop context.CancelFunc
	ca   *pki.CA

	apiPort  int
	client   *client
	git      *gitserver.Server
	internet *standin.Internet
	standins *standin.Runner
	proxy    *Proxy

	mu       sync.Mutex
	etcd     *proc.Process
	api      *proc.Process
	janitor  *proc.Process
	flux     map[string]*controller
	ports    []*ports.Reservation
	stopped  bool
	clusters sync.WaitGroup
}

// Start brings a cluster up and returns when its API server answers and its
// controllers work. The cluster lives until Stop, or until ctx ends: a ctx with
// a short deadline is a cluster with a short life.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if opts.Logf == nil {
		opts.Logf = func(string, ...any) {}
	}
	bins, err := binaries.Ensure(ctx, opts.Logf)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(ctx)
	c := &Cluster{opts: opts, bins: bins, stop: cancel, flux: map[string]*controller{}}
	if err := c.start(life); err != nil {
		c.Stop()
		return nil, fmt.Errorf("start a lab cluster: %w", err)
	}
	context.AfterFunc(life, c.Stop)
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	began := time.Now()
	if err := c.makeDir(ctx); err != nil {
		return err
	}
	if err := c.startControlPlane(ctx); err != nil {
		return err
	}
	c.opts.Logf("API server ready after %s", time.Since(began).Round(time.Millisecond))
	var err error
	if c.git, err = gitserver.Start(ctx, filepath.Join(c.dir, "git")); err != nil {
		return err
	}
	if err := c.applyBase(ctx); err != nil {
		return err
	}
	if err := c.startStandIns(ctx); err != nil {
		return err
	}
	if err := c.startProxy(ctx); err != nil {
		return err
	}
	if !c.opts.NoControllers {
		if err := c.startControllers(ctx); err != nil {
			return err
		}
	}
	if err := c.applyAgeKeyFile(ctx); err != nil {
		return err
	}
	c.opts.Logf("lab cluster ready after %s", time.Since(began).Round(time.Millisecond))
	return nil
}

// Stop takes the cluster down and removes everything of it. It may be called
// more than once, and on a cluster that never came up fully.
func (c *Cluster) Stop() {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		c.clusters.Wait()
		return
	}
	c.stopped = true
	c.clusters.Add(1)
	defer c.clusters.Done()
	procs := []*proc.Process{c.api, c.etcd, c.janitor}
	controllers := make([]*controller, 0, len(c.flux))
	for _, ctl := range c.flux {
		controllers = append(controllers, ctl)
	}
	reserved := c.ports
	c.mu.Unlock()

	c.stop()
	for _, ctl := range controllers {
		ctl.stop()
	}
	if c.proxy != nil {
		c.proxy.close()
	}
	if c.standins != nil {
		c.standins.Wait()
	}
	if c.opts.KeepDir {
		// The janitor would remove what is to be kept.
		c.opts.Logf("kept %s", c.dir)
	}
	for _, p := range procs {
		if p != nil {
			p.Stop()
		}
	}
	for _, r := range reserved {
		r.Release()
	}
	if c.lock != nil {
		_ = c.lock.Close()
	}
	if c.dir != "" && !c.opts.KeepDir {
		_ = os.RemoveAll(c.dir)
	}
}

// Err is not nil when a part of the cluster that should run has ended by itself.
func (c *Cluster) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return errors.New("the cluster has been stopped")
	}
	for _, p := range []*proc.Process{c.etcd, c.api} {
		if p == nil {
			continue
		}
		if err := p.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Dir is the working directory of the cluster: its logs, keys and data. It goes
// away with the cluster.
func (c *Cluster) Dir() string { return c.dir }

// Log is the path of the log file of etcd, kube-apiserver, kustomize-controller
// or source-controller.
func (c *Cluster) Log(name string) string { return filepath.Join(c.dir, name+".log") }

// StandIns gives access to the stand-ins, to inject faults.
func (c *Cluster) StandIns() *standin.Runner { return c.standins }
