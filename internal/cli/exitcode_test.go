package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func failedWith(kind waiters.CauseKind, class waiters.Class, err error) *bootstrap.StepError {
	return &bootstrap.StepError{Seen: waiters.Observation{State: waiters.Retrying, Cause: waiters.Cause{Kind: kind, Class: class}}, Err: err}
}

func TestExitCodes(t *testing.T) {
	late := failedWith(waiters.HealthCheckTimeout, waiters.Passing, bootstrap.ErrOutOfTime)
	final := failedWith(waiters.BuildFailed, waiters.Terminal, nil)
	wedge := failedWith(waiters.MissingKind, waiters.NeedsAction, nil)
	key := failedWith(waiters.DecryptionFailed, waiters.NeedsAction, nil)
	badKey := failedWith(waiters.DecryptionFailed, waiters.Terminal, nil)
	run := func(steps ...*bootstrap.StepError) error { return &bootstrap.RunError{Steps: steps} }
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"nothing":                             {nil, ExitOK},
		"something else":                      {errors.New("oops"), ExitBug},
		"usage":                               {usagef("x"), ExitUsage},
		"a bad file":                          {errors.Join(&tiers.FileError{}, &tiers.FileError{}), ExitUsage},
		"drift":                               {&tiers.DriftError{}, ExitVerdict},
		"a cycle":                             {&tiers.CycleError{}, ExitVerdict},
		"an order that contradicts the graph": {&tiers.InvalidOrderError{}, ExitVerdict},
		"a wedge":                             {run(wedge), ExitVerdict},
		"a final failure":                     {run(final), ExitTierFailed},
		"a time-out":                          {run(late), ExitOutOfTime},
		"a final failure outranks a time-out": {run(late, final), ExitTierFailed},
		"the run's deadline":                  {&bootstrap.RunError{Cause: bootstrap.ErrOutOfTime}, ExitOutOfTime},
		"a deadline before there was a run":   {context.DeadlineExceeded, ExitOutOfTime},
		"a missing key":                       {run(key), ExitPrecondition},
		"a wrong key":                         {run(badKey), ExitTierFailed},
		"a missing controller":                {&bootstrap.PreconditionError{}, ExitPrecondition},
		"no permission":                       {&bootstrap.AccessError{}, ExitUnreachable},
		"unreachable":                         {&kube.UnreachableError{Err: errors.New("x")}, ExitUnreachable},
		"refused in mid-run": {
			&bootstrap.RunError{Cause: &kube.UnauthorisedError{Err: errors.New("x")}}, ExitUnreachable,
		},
		"a write that is refused": {
			run(failedWith("", 0, waiters.TerminalError(&kube.ForbiddenError{Err: errors.New("x")}))), ExitUnreachable,
		},
		"the lock is held":                  {&kube.LockedError{}, ExitLocked},
		"interrupted":                       {&bootstrap.RunError{Cause: ErrInterrupted}, ExitInterrupted},
		"terminated":                        {&bootstrap.RunError{Cause: ErrTerminated}, ExitTerminated},
		"an interrupt outranks its effects": {&bootstrap.RunError{Cause: ErrInterrupted, Steps: []*bootstrap.StepError{final}}, ExitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exitCode(tc.err); got != tc.want {
				t.Errorf("exit code = %d, want %d", got, tc.want)
			}
			if tc.err == nil {
				return
			}
			if got := exitCode(fmt.Errorf("wrapped: %w", told(tc.err))); got != tc.want {
				t.Errorf("wrapped, exit code = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestTheDocumentedExitCodesAreTheOnesInUse(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range ExitCodes() {
		if row := fmt.Sprintf("| %d | %s |", c.Code, c.Meaning); !strings.Contains(string(page), row) {
			t.Errorf("exit-codes.md has no row %q", row)
		}
	}
}
