package rehearsal

import (
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/standup-sh/standup/internal/manifests"
)

// policy is how a HelmRelease is installed, and what follows a failure.
type policy struct {
	timeout time.Duration // of each action
	wait    bool          // for what was installed to be healthy
	// retries is how many attempts follow the first; below zero it never ends.
	retries int
	again   time.Duration // until the next attempt
}

// remediationTime is what it takes to uninstall a failed release, after which
// the next attempt is made at once.
const remediationTime = 10 * time.Second

// policyOf reads the fields with the defaults of helm-controller's API.
func (s *stage) policyOf(o manifests.Object) policy {
	var hr helmv2.HelmRelease
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &hr); err != nil {
		return policy{timeout: defaultHelmTimeout, wait: true} // the API server refuses it
	}
	install := hr.GetInstall()
	p := policy{
		timeout: install.GetTimeout(hr.GetTimeout()).Duration, wait: !install.GetDisableWait(),
		retries: install.GetRemediation().GetRetries(), again: remediationTime,
	}
	if !s.w.opts.Flux.retryOnFailure() {
		return p
	}
	if retry := install.GetRetry(s.w.settings.retry); retry != nil {
		p.retries, p.again = -1, retry.GetRetryInterval()
	}
	return p
}

const defaultHelmTimeout = 5 * time.Minute
