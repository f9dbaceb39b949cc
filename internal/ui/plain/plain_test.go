package plain

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/spool"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// quiet has no heartbeat: most tests are about what events say.
func quiet(o Options) Options {
	o.Heartbeat = -1
	return o
}

func logOf(t *testing.T, s *uitest.Script, o Options) string {
	t.Helper()
	var b bytes.Buffer
	sink := New(&b, quiet(o))
	s.Play(sink)
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLogWhole(t *testing.T) {
	for name, s := range map[string]*uitest.Script{
		"success": uitest.Success(), "wedged": uitest.Wedged(), "interrupted": uitest.Interrupted(), "partial": uitest.Partial(),
	} {
		uitest.Golden(t, name+".log", logOf(t, s, Options{}))
	}
	uitest.Golden(t, "wedged.json", logOf(t, uitest.Wedged(), Options{JSON: true}))
	uitest.Golden(t, "wedged-verbose.log", logOf(t, uitest.Wedged(), Options{Verbose: true}))
}

// A condition that goes back and forth between two sights tells each once.
func TestAFlapIsToldOnce(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	s.Start(id)
	for range 10 {
		s.See(id, uitest.NoKind()).After(time.Second).See(id, uitest.Progressing("")).After(time.Second).See(id, uitest.Unhealthy())
	}
	got := logOf(t, s, Options{})
	for _, what := range []string{"no matches for kind", "0 of 1 available"} {
		if n := strings.Count(got, what); n != 1 {
			t.Errorf("%q is told %d times in\n%s", what, n, got)
		}
	}
}

func TestANewCauseIsTold(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	other := uitest.Unhealthy()
	other.Cause.Subject, other.Message = "Deployment longhorn-driver", "Deployment longhorn-driver 0 of 2 available"
	got := logOf(t, s.Start(id).See(id, uitest.Unhealthy()).See(id, other), Options{})
	if !strings.Contains(got, "longhorn-ui") || !strings.Contains(got, "longhorn-driver") {
		t.Errorf("a cause is missing in\n%s", got)
	}
}

func TestProgressIsNotWorthALine(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	got := logOf(t, s.Start(id).See(id, uitest.Progressing("Building manifests")).See(id, uitest.Progressing("Detecting drift")), Options{})
	if strings.Contains(got, "manifests") || strings.Contains(got, "drift") {
		t.Errorf("got\n%s", got)
	}
}

func TestPreflight(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1)).
		Emit(event.PreflightChecked{Name: "api", Detail: "answers"}).
		Emit(event.PreflightChecked{Name: "permissions", Err: errors.New("cannot patch kustomizations")})
	got := logOf(t, s, Options{})
	if strings.Contains(got, "check api") || !strings.Contains(got, "ERROR check permissions: cannot patch kustomizations") {
		t.Errorf("got\n%s", got)
	}
	if got := logOf(t, s, Options{Verbose: true}); !strings.Contains(got, "DEBUG check api: answers") {
		t.Errorf("got\n%s", got)
	}
}

func TestPlanExtended(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1)).Emit(event.PlanExtended{
		Cause: "Kustomization flux-system/child appeared",
		Steps: []tiers.Step{{ID: "ready:Kustomization/flux-system/child"}},
	})
	if got, want := logOf(t, s, Options{}), "plan extended by 1 step: Kustomization flux-system/child appeared"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// buffer is written by the sink's worker while the test reads.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.b.Reset()
	return b.b.String()
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		sink := New(&out, Options{})
		id := uitest.ReadyID("platform")
		emit := func(b event.Body) { sink.Emit(event.Event{Time: time.Now(), Body: b}) }
		emit(event.PlanReady{Plan: uitest.Homelab()})
		emit(event.StepStarted{Step: id})
		<-time.After(10 * time.Second)
		emit(event.StepObserved{Step: id, Seen: uitest.Unhealthy()})
		synctest.Wait()
		out.take()

		<-time.After(DefaultHeartbeat - time.Second)
		if got := out.take(); got != "" {
			t.Errorf("too soon: %s", got)
		}
		<-time.After(time.Second)
		synctest.Wait()
		want := "still waiting: platform: Deployment longhorn-ui 0 of 1 available (30s)\n"
		if got := out.take(); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want …%q", got, want)
		}
		<-time.After(100 * time.Second)
		synctest.Wait()
		if got := out.take(); strings.Count(got, "\n") != 3 || !strings.HasSuffix(got, "(2m)\n") {
			t.Errorf("after 100 more seconds:\n%s", got)
		}
		if err := sink.Close(); err != nil {
			t.Error(err)
		}
		<-time.After(time.Hour)
		if got := out.take(); got != "" {
			t.Errorf("after Close: %s", got)
		}
	})
}

// Only silence needs a sign of life.
func TestALineDelaysTheHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		sink := New(&out, Options{Heartbeat: 10 * time.Second})
		sink.Emit(event.Event{Time: time.Now(), Body: event.PlanReady{Plan: uitest.Chain(1)}})
		sink.Emit(event.Event{Time: time.Now(), Body: event.StepStarted{Step: uitest.ReadyID("t1")}})
		for range 5 {
			<-time.After(9 * time.Second)
			sink.Emit(event.Event{Time: time.Now(), Body: event.Warned{Message: "noise"}})
		}
		_ = sink.Close()
		if got := out.take(); strings.Contains(got, "still waiting") {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestAHeartbeatIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		sink := New(&out, Options{})
		sink.Emit(event.Event{Time: time.Now(), Body: event.PlanReady{Plan: uitest.Wide(1, 20)}})
		for _, st := range uitest.Wide(1, 20).Steps {
			sink.Emit(event.Event{Time: time.Now(), Body: event.StepStarted{Step: st.ID}})
		}
		synctest.Wait()
		out.take()
		<-time.After(DefaultHeartbeat)
		synctest.Wait()
		got := out.take()
		if strings.Count(got, "\n") != shown+1 || !strings.Contains(got, "still waiting: and for 17 more") {
			t.Errorf("got\n%s", got)
		}
		_ = sink.Close()
	})
}

func TestNoHeartbeatWithoutWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		sink := New(&out, Options{})
		uitest.Success().Play(sink)
		synctest.Wait()
		out.take()
		<-time.After(time.Hour)
		if got := out.take(); got != "" {
			t.Errorf("got %q", got)
		}
		_ = sink.Close()
	})
}

func TestAPipeThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		sink := New(w, Options{})
		start := time.Now()
		uitest.Success().Play(sink)
		if d := time.Since(start); d != 0 {
			t.Errorf("the run waited %s", d)
		}
		if err := sink.Close(); !errors.Is(err, spool.ErrStuck) {
			t.Errorf("Close = %v", err)
		}
		_ = r.Close()
	})
}

// What a controller says must not forge lines or move the cursor.
func TestMessagesStayOnTheirLine(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	seen := waiters.Observation{State: waiters.Retrying, Message: "first\nERROR second\x1b[2J", Cause: waiters.Cause{Kind: waiters.BuildFailed}}
	got := logOf(t, s.Start(id).See(id, seen), Options{})
	if strings.Count(got, "\n") != 3 || strings.Contains(got, "\x1b") {
		t.Errorf("got %q", got)
	}
}
