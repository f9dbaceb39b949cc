package bootstrap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// oneFrom is a cluster with one suspended Kustomization from a source of its own.
func oneFrom(b fetching) (*flux, tiers.Ref) {
	f := newFlux()
	source := f.addSource("repo", b)
	from(f.add("apps", behaviour{takes: time.Second}), source).Spec.Suspend = true
	return f, source
}

// failing makes a source one whose last fetch failed; revision is what it has from before.
func failing(reason, message, revision string) func(*waiters.Source) {
	return func(s *waiters.Source) {
		s.Conditions = []metav1.Condition{{Type: meta.ReadyCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: s.Generation}}
		if revision != "" {
			s.Artifact = &meta.Artifact{Revision: revision}
		}
	}
}

const refused = "failed to checkout and determine revision: unable to list remote for 'https://git.example.org/x': dial tcp 10.0.0.1:443: connect: connection refused"

func TestASuspendedSourceIsResumedBeforeWhatComesFromIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{takes: 5 * time.Second, outcome: fetches("main@sha1:a")})
		f.changeSource(source, func(s *waiters.Source) { s.Suspended = true })
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if got := fmt.Sprint(f.writes); got != "[resume repo resume apps]" {
			t.Errorf("writes = %s", got)
		}
		repo, _ := e.state.Step("ready:GitRepository/flux-system/repo")
		apps, _ := e.state.Step("resume:Kustomization/flux-system/apps")
		if repo.Seen.Revision != "main@sha1:a" || apps.Started.Before(repo.Finished) {
			t.Errorf("apps was resumed %s after its source was there at %q", apps.Started.Sub(repo.Finished), repo.Seen.Revision)
		}
	})
}

func TestASourceThatGitSuspendsIsLeftWithAllThatComesFromIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{outcome: fetches("main@sha1:a")})
		f.changeSource(source, func(s *waiters.Source) { s.Suspended = true })
		f.inGit[source] = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if len(f.writes) != 0 || len(e.state.Plan.Left) != 1 || len(e.state.Plan.Left[0].Behind) != 1 {
			t.Errorf("wrote %q, left %+v", f.writes, e.state.Plan.Left)
		}
	})
}

func TestASourceWithoutAnArtifactIsNudgedUntilItHasOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{takes: 100 * time.Millisecond, outcome: unreachable(4, "main@sha1:a")})
		f.changeSource(source, failing("GitOperationFailed", refused, ""))
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if got := fmt.Sprint(f.writes); got != "[nudge repo nudge repo nudge repo nudge repo resume apps]" {
			t.Errorf("writes = %s, want a nudge for each of the four fetches", got)
		}
		// 1 s, 2 s and 4 s lie between the nudges, by Pace.Failed.
		if repo, _ := e.state.Step("ready:GitRepository/flux-system/repo"); repo.Nudges != 4 || repo.Finished.Sub(repo.Started) > 8*time.Second {
			t.Errorf("%d nudges in %s", repo.Nudges, repo.Finished.Sub(repo.Started))
		}
	})
}

func TestASourceThatIsFetchingIsLeftToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{takes: 40 * time.Second, outcome: fetches("main@sha1:a")})
		f.wakeSource(source)
		f.boot()
		succeeded(t, stand(t, t.Context(), f, nil, nil))
		if got := fmt.Sprint(f.writes); got != "[resume apps]" {
			t.Errorf("writes = %s, want none to the source", got)
		}
	})
}

func TestASourceThatIsMissingIsNamedWithinGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		gone := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "gone"}
		from(f.add("apps", behaviour{takes: time.Second}), gone).Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		failure := onlyFailure(t, e)
		if failure.Seen.Cause.Kind != waiters.SourceMissing || failure.Step.Object != gone || e.took != bootstrap.DefaultPace().Grace {
			t.Errorf("after %s: %v (%s)", e.took, failure, failure.Seen.Cause.Kind)
		}
		if len(f.writes) != 0 {
			t.Errorf("wrote %q behind a missing source", f.writes)
		}
	})
}

func TestASourceThatAppearsIsGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		late := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "late"}
		from(f.add("apps", behaviour{takes: time.Second}), late).Spec.Suspend = true
		f.boot()
		f.after(10*time.Second, func() {
			f.addSource("late", fetching{takes: time.Second, outcome: fetches("main@sha1:b")})
			f.wakeSource(late)
		})
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if e.took > 15*time.Second || len(e.state.Moves) != 0 {
			t.Errorf("took %s and told of %d moves; a first artifact is not one", e.took, len(e.state.Moves))
		}
	})
}

func TestHowAFetchThatFailedIsJudged(t *testing.T) {
	for name, c := range map[string]struct {
		reason, message, revision string
		want                      waiters.CauseKind // none: the run succeeds
		warns                     bool
		most                      time.Duration
	}{
		"unreachable, with what was fetched before": {
			reason: "GitOperationFailed", message: refused, revision: "main@sha1:old", warns: true, most: 5 * time.Second,
		},
		"refused credentials, with what was fetched before": {
			reason: "GitOperationFailed", message: "failed to checkout and determine revision: authentication required", revision: "main@sha1:old", warns: true, most: 5 * time.Second,
		},
		"refused credentials": {
			reason: "GitOperationFailed", message: "failed to checkout and determine revision: authentication required",
			want: waiters.SourceUnauthorised, most: bootstrap.DefaultPatience + 20*time.Second,
		},
		"a branch that is not there": {
			reason: "GitOperationFailed", message: `failed to checkout and determine revision: unable to clone 'https://git.example.org/x': couldn't find remote ref "refs/heads/mian"`,
			want: waiters.SourceRefMissing, most: 40 * time.Second,
		},
		"a spec that cannot work": {
			reason: "URLInvalid", message: "first path segment in URL cannot contain colon", want: waiters.InvalidSpec, most: 5 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, source := oneFrom(fetching{takes: 100 * time.Millisecond, outcome: func(int) (string, string, string) { return "", c.reason, c.message }})
				f.changeSource(source, failing(c.reason, c.message, c.revision))
				f.boot()
				e := stand(t, t.Context(), f, nil, nil)
				if c.want == waiters.NoCause {
					succeeded(t, e)
				} else if failure := onlyFailure(t, e); failure.Seen.Cause.Kind != c.want {
					t.Errorf("failure = %v (%s), want %s", failure, failure.Seen.Cause.Kind, c.want)
				}
				warned := false
				for _, w := range e.state.Warnings {
					warned = warned || strings.Contains(w.Message, "going on with revision main@sha1:old")
				}
				if warned != c.warns || e.took > c.most {
					t.Errorf("warned: %v, after %s, want %v within %s", warned, e.took, c.warns, c.most)
				}
			})
		})
	}
}

func TestASourceThatStallsFailsItsStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{})
		f.changeSource(source, func(s *waiters.Source) {
			failing("URLInvalid", "parse: bad URL", "")(s)
			s.Conditions = append(s.Conditions, metav1.Condition{Type: meta.StalledCondition, Status: metav1.ConditionTrue, Reason: "URLInvalid", Message: "parse: bad URL", ObservedGeneration: s.Generation})
		})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		if failure := onlyFailure(t, e); failure.Seen.State != waiters.Stalled || e.took > time.Second {
			t.Errorf("after %s: %v", e.took, failure)
		}
	})
}

func TestASourceThatIsSuspendedInMidRunFailsItsStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{takes: time.Minute, outcome: fetches("main@sha1:a")})
		f.changeSource(source, func(s *waiters.Source) { s.Suspended = true })
		f.boot()
		f.after(10*time.Second, func() { f.changeSource(source, func(s *waiters.Source) { s.Suspended = true }) })
		e := stand(t, t.Context(), f, nil, nil)
		if failure := onlyFailure(t, e); failure.Step.Object != source || !strings.Contains(failure.Error(), "suspended again") {
			t.Errorf("failure = %v", failure)
		}
	})
}

func TestASourceThatMovesTwiceIsFollowedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 5, time.Second, true)
		f.boot()
		time.AfterFunc(1500*time.Millisecond, func() { f.commit("main@sha1:2") })
		time.AfterFunc(4300*time.Millisecond, func() { f.commit("main@sha1:3") })
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		want := []event.SourceMoved{
			{Source: gitSource, From: "main@sha1:1", To: "main@sha1:2"},
			{Source: gitSource, From: "main@sha1:2", To: "main@sha1:3"},
		}
		if fmt.Sprint(e.state.Moves) != fmt.Sprint(want) {
			t.Errorf("moves = %v", e.state.Moves)
		}
		for _, k := range f.Kustomizations() {
			if k.Status.LastAppliedRevision != "main@sha1:3" {
				t.Errorf("%s is at %s", k.Name, k.Status.LastAppliedRevision)
			}
		}
		if first, _ := e.state.Step(readyStep("t00") + "#3"); first.Outcome != event.Succeeded || !strings.Contains(first.Step.Cause, "moved from main@sha1:2 to main@sha1:3") {
			t.Errorf("the third time for t00: %s, because %q", first.Outcome, first.Step.Cause)
		}
	})
}

func TestOnlyWhatComesFromAMovedSourceIsDrivenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{takes: 100 * time.Millisecond, outcome: func(n int) (string, string, string) { return fmt.Sprintf("main@sha1:%d", n), "", "" }})
		chain(f, 4, 5*time.Second, true)
		f.wakeSource(source)
		f.boot()
		f.after(8*time.Second, func() { f.wakeSource(source) })
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if _, again := e.state.Step(readyStep("apps") + "#2"); !again {
			t.Error("apps was not driven to the new revision")
		}
		if _, again := e.state.Step(readyStep("t00") + "#2"); again {
			t.Error("t00 comes from another source and was driven again")
		}
	})
}

func TestASourceThatNeverAnswersIsOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, source := oneFrom(fetching{takes: 100 * time.Millisecond, outcome: unreachable(1000, "")})
		f.changeSource(source, failing("GitOperationFailed", refused, ""))
		f.boot()
		e := stand(t, t.Context(), f, order(t, "defaults: {timeout: 5m}\ntiers: [{name: apps}]"), nil)
		failure := onlyFailure(t, e)
		if !errors.Is(e.err, bootstrap.ErrOutOfTime) || failure.Seen.Cause.Kind != waiters.SourceUnreachable || e.took != 5*time.Minute {
			t.Errorf("after %s: %v (%s)", e.took, failure, failure.Seen.Cause.Kind)
		}
		if n := len(f.writes); n > 30 {
			t.Errorf("%d nudges in five minutes, want them paced", n)
		}
	})
}
