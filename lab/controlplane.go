package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/standup-sh/standup/lab/internal/pki"
	"github.com/standup-sh/standup/lab/internal/proc"
)

// startControlPlane brings up etcd and kube-apiserver and makes the client.
func (c *Cluster) startControlPlane(ctx context.Context) error {
	r, err := c.reserve(3)
	if err != nil {
		return err
	}
	if err := c.startEtcd(ctx, r.Addr(0), r.Addr(1)); err != nil {
		return err
	}
	c.apiPort = r.Port(2)
	if err := c.writeKeys(); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	return nil
}

func (c *Cluster) etcdURL() string {
	raw, err := os.ReadFile(c.path("etcd.url"))
	if err != nil {
		return ""
	}
	return string(raw)
}

func (c *Cluster) startEtcd(ctx context.Context, clientAddr, peerAddr string) error {
	url, peer := "http://"+clientAddr, "http://"+peerAddr
	if err := os.WriteFile(c.path("etcd.url"), []byte(url), 0o600); err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Spec{
		Guard: c.bins.Guard, Name: "etcd", Path: c.bins.Etcd, Log: c.Log("etcd"),
		Args: []string{
			"--name=lab", "--data-dir=" + c.path("etcd"),
			"--listen-client-urls=" + url, "--advertise-client-urls=" + url,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=lab=" + peer,
			// The data is thrown away, so nothing is gained by waiting for a disk.
			"--unsafe-no-fsync=true", "--snapshot-count=1000000",
			"--auto-compaction-retention=0", "--log-level=warn",
		},
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.etcd = p
	c.mu.Unlock()
	return c.poll(ctx, p, 30*time.Second, url+"/health", http.DefaultClient)
}

// writeKeys makes the certificates and the key of the service account tokens.
func (c *Cluster) writeKeys() error {
	serving, err := c.ca.Issue("kube-apiserver", nil, "kubernetes", "kubernetes.default", "kubernetes.default.svc")
	if err != nil {
		return err
	}
	if err := c.writePair("apiserver", serving); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	key, err := pki.SigningKey()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.path("sa.key"), key, 0o600); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	cfg, err := c.adminConfig("lab:admin")
	if err != nil {
		return err
	}
	if c.client, err = newClient(cfg); err != nil {
		return err
	}
	return c.writeAdminKubeconfig()
}

// StartAPIServer starts kube-apiserver, on the same port and data as before,
// and returns when it is ready. The cluster's Start has done so once.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	running := c.api != nil && c.api.Err() == nil
	c.mu.Unlock()
	if running {
		return errors.New("the API server is running already")
	}
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Spec{
		Guard: c.bins.Guard, Name: "kube-apiserver", Path: c.bins.APIServer, Log: c.Log("kube-apiserver"),
		Args: append([]string{
			"--etcd-servers=" + c.etcdURL(),
			"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
			fmt.Sprintf("--secure-port=%d", c.apiPort),
			// Loopback is refused as an endpoint of the service "kubernetes".
			"--endpoint-reconciler-type=none",
			"--service-cluster-ip-range=10.0.0.0/24",
			"--authorization-mode=Node,RBAC", "--allow-privileged=true",
			"--client-ca-file=" + c.path("ca.crt"),
			"--tls-cert-file=" + c.path("apiserver.crt"), "--tls-private-key-file=" + c.path("apiserver.key"),
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + c.path("sa.key"),
			"--service-account-signing-key-file=" + c.path("sa.key"),
			"--profiling=false", "--v=1",
		}, c.opts.APIServer...),
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.api = p
	c.mu.Unlock()
	hc, err := c.client.http()
	if err != nil {
		return err
	}
	return c.poll(ctx, p, time.Minute, c.apiURL()+"/readyz", hc)
}

// KillAPIServer kills kube-apiserver as kill -9 does. etcd keeps the data.
func (c *Cluster) KillAPIServer() {
	c.mu.Lock()
	p := c.api
	c.api = nil // it is meant to be down: Err must not complain
	c.mu.Unlock()
	if p != nil {
		p.Stop()
	}
}

func (c *Cluster) apiURL() string { return fmt.Sprintf("https://127.0.0.1:%d", c.apiPort) }

// poll waits until the URL answers 200, or the process has ended.
func (c *Cluster) poll(ctx context.Context, p *proc.Process, limit time.Duration, url string, hc *http.Client) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var last error
	err := every(ctx, 50*time.Millisecond, func() (bool, error) {
		if err := p.Err(); err != nil {
			return false, err
		}
		last = get(ctx, hc, url)
		return last == nil, nil
	})
	if err != nil && last != nil && p.Err() == nil {
		return fmt.Errorf("%s did not become ready: %w; its last words:\n%s", url, last, p.Tail(20))
	}
	return err
}

func get(ctx context.Context, hc *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 2000))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	return nil
}

// every calls try until it says true or fails, or ctx ends.
func every(ctx context.Context, period time.Duration, try func() (bool, error)) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}
