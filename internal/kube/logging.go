package kube

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr/funcr"
	"k8s.io/klog/v2"
)

// warnings receives the Warning headers of API responses, which client-go
// would write to stderr.
type warnings struct {
	warnf func(format string, args ...any)
}

// HandleWarningHeader implements rest.WarningHandler. Code 299 is the only one
// that Kubernetes uses.
func (w warnings) HandleWarningHeader(code int, _, text string) {
	if code == 299 && text != "" {
		w.warnf("API server warns: %s", text)
	}
}

// klog is one logger for the whole process and not safe to replace while it is
// in use, so it is set once; where it writes can change.
var (
	klogOnce   sync.Once                                        //nolint:gochecknoglobals // klog's own state is global
	klogTarget atomic.Pointer[func(format string, args ...any)] //nolint:gochecknoglobals // klog's own state is global
)

// redirectKlog sends what client-go logs to debugf instead of stderr.
func redirectKlog(debugf func(format string, args ...any)) {
	klogTarget.Store(&debugf)
	klogOnce.Do(func() {
		klog.SetLogger(funcr.New(func(prefix, args string) {
			line := strings.TrimSpace(prefix + " " + args)
			(*klogTarget.Load())("client-go: %s", line)
		}, funcr.Options{}))
	})
}
