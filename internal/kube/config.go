package kube

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/flowcontrol"
)

// inCluster is the context name where there is no kubeconfig.
const inCluster = "in-cluster"

// loadConfig finds the cluster as kubectl does and returns the name of the
// context that was used.
func loadConfig(o Options) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})

	raw, err := loader.RawConfig()
	if err != nil {
		return nil, "", badConfig(fmt.Errorf("kubeconfig: %w", err))
	}
	name, err := contextName(raw, o.Context)
	if err != nil {
		return nil, "", err
	}
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", badConfig(errors.New("no kubeconfig found and not running in a cluster: pass --kubeconfig or set KUBECONFIG"))
	}
	if err != nil {
		return nil, "", badConfig(fmt.Errorf("kubeconfig: %w", err))
	}
	return config, name, nil
}

// contextName checks the context before client-go does, to name the others.
func contextName(raw clientcmdapi.Config, wanted string) (string, error) {
	name := wanted
	if name == "" {
		name = raw.CurrentContext
	}
	if name == "" && len(raw.Contexts) == 0 {
		return inCluster, nil
	}
	if name == "" {
		return "", badConfig(fmt.Errorf("kubeconfig has no current context; choose one with --context: %s", contextList(raw)))
	}
	if raw.Contexts[name] == nil {
		return "", badConfig(fmt.Errorf("kubeconfig has no context %q; there is: %s", name, contextList(raw)))
	}
	if cluster := raw.Contexts[name].Cluster; raw.Clusters[cluster] == nil {
		return "", badConfig(fmt.Errorf("kubeconfig context %q is of cluster %q, which is not in the kubeconfig", name, cluster))
	}
	return name, nil
}

func contextList(raw clientcmdapi.Config) string {
	if len(raw.Contexts) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", ")
}

func badConfig(err error) error { return &UnauthorisedError{Err: err} }

// tune sets what client-go would otherwise decide for us.
func tune(config *rest.Config, o Options) {
	config.UserAgent = "standup/" + o.Version
	if o.As != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: o.As, Groups: o.AsGroups}
	}
	config.QPS, config.Burst = o.QPS, o.Burst
	// One limiter for all clients made of this config, not one each.
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(o.QPS, o.Burst)
	config.WarningHandler = warnings{o.Warnf}
	// config.Timeout would cut watches as well; each request brings its own.
	config.Timeout = 0
	dialer := &net.Dialer{
		Timeout: 10 * time.Second,
		// A peer that vanished without a word is found in about 20 seconds.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 3 * time.Second, Count: 3},
	}
	config.Dial = dialer.DialContext
	o.Debugf("client: user agent %s, %g requests a second, burst %d, %s a request", config.UserAgent, o.QPS, o.Burst, o.Timeout)
}
