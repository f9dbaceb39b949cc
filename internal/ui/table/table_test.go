package table

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
)

func plainStyle() Style { return Style{Unicode: true} }

func runs() map[string]*uitest.Script {
	wide := uitest.NewScript("w1de").Plan(uitest.Wide(6, 5))
	for i := 1; i <= 5; i++ {
		id := uitest.ReadyID(fmt.Sprintf("k1-%d", i))
		wide.Resume(uitest.ResumeID(fmt.Sprintf("k1-%d", i))).Start(id).See(id, uitest.Progressing("Health checks in progress"))
	}
	wide.After(7*time.Second).Succeed(uitest.ReadyID("k1-2")).See(uitest.ReadyID("k1-4"), uitest.Unhealthy()).After(75 * time.Second)
	return map[string]*uitest.Script{
		"planned":     uitest.NewScript("r7f3").Plan(uitest.Homelab()),
		"underway":    uitest.UnderWay(),
		"wedged":      uitest.Wedged(),
		"success":     uitest.Success(),
		"interrupted": uitest.Interrupted(),
		"partial":     uitest.Partial(),
		"wide":        wide,
	}
}

func TestRenderWhole(t *testing.T) {
	for name, s := range runs() {
		for _, size := range [][2]int{{100, 40}, {60, 40}, {100, 9}} {
			golden := fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1])
			t.Run(golden, func(t *testing.T) {
				uitest.Golden(t, golden, Render(s.State(), size[0], size[1], s.Now(), plainStyle()))
			})
		}
	}
}

func TestRenderStyles(t *testing.T) {
	s := uitest.Wedged()
	for name, style := range map[string]Style{"color": {Color: true, Unicode: true}, "ascii": {}} {
		t.Run(name, func(t *testing.T) {
			uitest.Golden(t, "style-"+name+".txt", Render(s.State(), 80, 30, s.Now(), style))
		})
	}
}

// Every frame of every run fits into the terminal, whatever its size.
func TestRenderFits(t *testing.T) {
	all := runs()
	for seed := range uint64(8) {
		all[fmt.Sprintf("random %d", seed)] = uitest.Random(seed)
	}
	for name, s := range all {
		var st event.State
		for i, e := range s.Events {
			st.Apply(e)
			if i%11 != 0 && i != len(s.Events)-1 {
				continue // not every frame at every size: this is quadratic
			}
			for _, size := range [][2]int{{20, 3}, {20, 24}, {33, 6}, {57, 24}, {120, 6}, {120, 24}} {
				if err := fits(&st, size[0], size[1], e.Time, i%2 == 0); err != nil {
					t.Fatalf("%s, event %d: %v", name, i, err)
				}
			}
		}
	}
}

// fits says what is wrong with the frame, if anything is.
func fits(st *event.State, width, height int, now time.Time, color bool) error {
	frame := Render(st, width, height, now, Style{Color: color, Unicode: true})
	lines := strings.Split(strings.TrimSuffix(frame, "\n"), "\n")
	if len(lines) > height {
		return fmt.Errorf("%d lines at %dx%d:\n%s", len(lines), width, height, frame)
	}
	for _, l := range lines {
		if lipgloss.Width(l) > width {
			return fmt.Errorf("%d cells at %dx%d in %q", lipgloss.Width(l), width, height, l)
		}
	}
	return nil
}

func TestRenderWithoutColourHasNoEscapes(t *testing.T) {
	for name, s := range runs() {
		if frame := Render(s.State(), 80, 24, s.Now(), plainStyle()); strings.Contains(frame, "\x1b") {
			t.Errorf("%s: escape sequence in %q", name, frame)
		}
	}
}

func TestRenderASCIIHasOnlyASCII(t *testing.T) {
	for name, s := range runs() {
		frame := Render(s.State(), 60, 12, s.Now(), Style{})
		if strings.ContainsFunc(frame, func(r rune) bool { return r > 0x7e }) {
			t.Errorf("%s: %q", name, frame)
		}
	}
}

func TestRenderIsDeterministic(t *testing.T) {
	for name, s := range runs() {
		first := Render(s.State(), 90, 12, s.Now(), Style{Color: true, Unicode: true})
		for range 5 {
			if again := Render(s.State(), 90, 12, s.Now(), Style{Color: true, Unicode: true}); again != first {
				t.Fatalf("%s: two looks differ", name)
			}
		}
	}
}

func TestRenderBeforeThePlan(t *testing.T) {
	got := Render(&event.State{}, 80, 24, uitest.Start(), plainStyle())
	if want := "standup: looking at the cluster\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What failed must be seen at any height that has room for a row.
func TestRenderNeverFoldsAFailure(t *testing.T) {
	p := uitest.NewPlan("lab")
	p.Tier("first", "a", "b", "c", "d")
	s := uitest.NewScript("r").Plan(&p.Plan)
	for _, m := range []string{"a", "b", "c", "d"} {
		s.Resume(uitest.ResumeID(m)).Start(uitest.ReadyID(m)).See(uitest.ReadyID(m), uitest.Progressing("working"))
	}
	s.See(uitest.ReadyID("d"), uitest.NoKind()).Fail(uitest.ReadyID("d"), nil)
	frame := Render(s.State(), 80, 5, s.Now(), plainStyle())
	if !strings.Contains(frame, "StorageProfile") || !strings.Contains(frame, "2 more in flight") {
		t.Errorf("the failure is not shown:\n%s", frame)
	}
}

// A message with escape sequences, tabs and wide runes must not break a row.
func TestRenderTamesMessages(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	s.Start(id).See(id, uitest.Progressing("\x1b[2J日本語\tの\nメッセージ "+strings.Repeat("長", 60)))
	frame := Render(s.State(), 60, 10, s.Now(), plainStyle())
	for _, l := range strings.Split(frame, "\n") {
		if lipgloss.Width(l) > 60 {
			t.Errorf("%d cells: %q", lipgloss.Width(l), l)
		}
	}
	if strings.ContainsAny(frame, "\x1b\t") {
		t.Errorf("control characters in %q", frame)
	}
}

func BenchmarkRender1000(b *testing.B) {
	s := uitest.NewScript("r").Plan(uitest.Wide(50, 20))
	s.Start(uitest.ReadyID("k1-1")).See(uitest.ReadyID("k1-1"), uitest.Progressing("working"))
	st := s.State()
	for b.Loop() {
		Render(st, 120, 40, s.Now(), Style{Color: true, Unicode: true})
	}
}

func TestSourcesAreShownOnlyWhenTheyMatter(t *testing.T) {
	p := uitest.Chain(1)
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	id := tiers.StepID("resume:" + repo.String())
	p.Steps = append([]tiers.Step{{ID: id, Verb: tiers.Resume, Object: repo, Cause: "suspended"}}, p.Steps...)
	s := uitest.NewScript("r").Plan(p).Start(id)
	if got := Render(s.State(), 80, 10, s.Now(), plainStyle()); !strings.Contains(got, "GitRepository flux-system") {
		t.Errorf("a source in flight is not shown:\n%s", got)
	}
	s.Succeed(id)
	if got := Render(s.State(), 80, 10, s.Now(), plainStyle()); strings.Contains(got, "GitRepository") {
		t.Errorf("a source that is done is shown:\n%s", got)
	}
}
