package table

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// rowsFrom reads one row a word: r(eady), p(ending), a(ctive), f(ailed),
// s(kipped); an upper-case letter is a member.
func rowsFrom(spec string) []row {
	status := map[rune]view.Status{'r': view.Ready, 'p': view.Pending, 'a': view.Running, 'f': view.Failed, 's': view.Skipped}
	var rows []row
	for i, c := range spec {
		low := []rune(strings.ToLower(string(c)))[0]
		rows = append(rows, row{status: status[low], member: c != low, name: fmt.Sprint(i)})
	}
	return rows
}

// spellRows is the reverse, with what was folded in brackets.
func spellRows(rows []row) string {
	letter := map[view.Status]string{view.Ready: "r", view.Pending: "p", view.Running: "a", view.Failed: "f", view.Skipped: "s"}
	var b strings.Builder
	for _, r := range rows {
		switch {
		case r.folded:
			b.WriteString("[" + r.why + "]")
		case r.member:
			b.WriteString(strings.ToUpper(letter[r.status]))
		default:
			b.WriteString(letter[r.status])
		}
	}
	return b.String()
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   string
		height int
		want   string
	}{
		{"all fits", "rrap", 4, "rrap"},
		{"nothing at all", "", 3, ""},
		{"finished go first, the oldest of them", "rrrraapp", 6, "[3 tiers ready]raapp"},
		{"all finished go before any pending", "rrrrapppp", 6, "[4 tiers ready]apppp"},
		{"then pending, the last of them", "rrrrapppp", 4, "[4 tiers ready]ap[3 tiers waiting]"},
		{"a fold of one saves nothing", "raapp", 4, "raa[2 tiers waiting]"},
		{"one pending and one ready cannot be folded", "raaap", 4, "raa[2 more]"},
		{"then members in flight, the last of them", "rraAAAAApp", 7, "[2 tiers ready]aAAA[2 more in flight][2 tiers waiting]"},
		{"a failed member stays", "aAAAFA", 4, "aA[3 more in flight]F"},
		{"then the end is cut", "ffffff", 4, "fff[3 more]"},
		{"skipped tiers are cut as well", "rrfssssss", 5, "[2 tiers ready]fss[4 more]"},
		{"ready tiers between others fold where the first was", "arara", 4, "a[2 tiers ready]aa"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fit(rowsFrom(c.rows), c.height)
			if spelled := spellRows(got); spelled != c.want {
				t.Errorf("fit(%s, %d) = %s, want %s", c.rows, c.height, spelled, c.want)
			}
			if len(got) > c.height {
				t.Errorf("%d rows, want at most %d", len(got), c.height)
			}
		})
	}
}

// Every mixture fits, and what failed is cut only when nothing else is left.
func TestFitAlways(t *testing.T) {
	for seed := range 3 * 3 * 3 * 3 * 3 * 3 * 3 {
		spec := ""
		for n, i := seed, 0; i < 7; n, i = n/3, i+1 {
			spec += string("raF"[n%3])
		}
		for height := 1; height <= 8; height++ {
			if got := fit(rowsFrom(spec), height); len(got) > height {
				t.Fatalf("fit(%s, %d) = %s", spec, height, spellRows(got))
			}
		}
	}
}

func TestMemberRows(t *testing.T) {
	seen := waiters.Observation{State: waiters.Blocked, Message: "dependency is not ready"}
	start := func(s *uitest.Script, names ...string) {
		for _, n := range names {
			s.Start(uitest.ReadyID(n))
		}
	}
	for _, c := range []struct {
		name string
		play func(s *uitest.Script)
		want []string
	}{
		{"nothing has started", func(*uitest.Script) {}, nil},
		{"one in flight is named by its tier's row", func(s *uitest.Script) { start(s, "a") }, nil},
		{"two in flight", func(s *uitest.Script) {
			start(s, "a", "b")
			s.See(uitest.ReadyID("b"), seen)
		}, []string{"a Running", "b Blocked"}},
		{"one failed", func(s *uitest.Script) {
			start(s, "a")
			s.Fail(uitest.ReadyID("a"), nil)
		}, []string{"a Failed"}},
		{"one failed, one in flight, one ready", func(s *uitest.Script) {
			start(s, "a", "b", "c")
			s.Fail(uitest.ReadyID("a"), nil).Succeed(uitest.ReadyID("b"))
		}, []string{"a Failed", "c Running"}},
		{"all ready", func(s *uitest.Script) {
			start(s, "a", "b", "c")
			s.Succeed(uitest.ReadyID("a")).Succeed(uitest.ReadyID("b")).Succeed(uitest.ReadyID("c"))
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := uitest.NewPlan("lab")
			p.Tier("t", "a", "b", "c")
			s := uitest.NewScript("r").Plan(&p.Plan)
			c.play(s)
			v := view.Of(s.State())
			var got []string
			for _, r := range memberRows(v, &v.Tiers[0], s.Now()) {
				got = append(got, r.name+" "+r.state)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAProbeIsSaidToBeProbing(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Homelab())
	s.Resume(uitest.ResumeID("platform-config-cdi")).Ready("platform-config-cdi", time.Second).Start(uitest.FoldedIn)
	s.See(uitest.FoldedIn, uitest.Progressing("status.claimPropertySets is empty"))
	v := view.Of(s.State())
	rows := rowsOf(v, s.Now())
	r := rows[4]
	if r.name != "platform-config-cdi" || r.state != "Probing" || r.progress != "1/1" ||
		r.why != "probe storage-profile-folded-in: status.claimPropertySets is empty" {
		t.Errorf("%+v", r)
	}
}

func TestATierThatIsAllLeftHasNoProgress(t *testing.T) {
	ref := tiers.KustomizationRef("flux-system", "gpu")
	p := &tiers.Plan{
		Tiers: []tiers.PlanTier{{Name: "gpu", Members: []tiers.Ref{ref}}},
		Left:  []tiers.Left{{Object: ref, Why: "declared in git"}},
	}
	s := uitest.NewScript("r").Plan(p)
	got := rowsOf(view.Of(s.State()), s.Now())
	if len(got) != 1 || got[0].progress != "" || got[0].why != "declared in git" || got[0].status != view.Suspended {
		t.Errorf("%+v", got)
	}
}

func TestHeader(t *testing.T) {
	s := uitest.UnderWay()
	v := view.Of(s.State())
	for _, c := range []struct {
		width int
		want  string
	}{
		{100, "standup prod  2 of 11 tiers ready  2m14s  run r7f3"},
		{50, "standup prod  2 of 11 tiers ready  2m14s  run r7f3"},
		{49, "standup prod  2 of 11 tiers ready  2m14s"},
		{36, "standup prod  2 of 11 tiers ready"},
		{20, "standup prod  2m14s"}, // whatever still fits
		{10, "standup p…"},
	} {
		if got := header(v, c.width, s.Now(), plainStyle()); got != c.want {
			t.Errorf("at %d: %q, want %q", c.width, got, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	s := uitest.UnderWay()
	if got := notes(view.Of(s.State()), 100, plainStyle()); len(got) != 1 || !strings.HasPrefix(got[0], "  note: source flux-system moved") {
		t.Errorf("got %q", got)
	}
	partial := uitest.Partial().State()
	partial.Warnings = append(partial.Warnings, partial.Warnings[0])
	partial.Warnings[1].Message = "another"
	got := notes(view.Of(partial), 100, plainStyle())
	if want := []string{"  2 warnings, the last: another"}; cmp.Diff(want, got) != "" {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The table is the first thing: notes go where there is no room for both.
func TestNotesGiveWayToRows(t *testing.T) {
	s := uitest.UnderWay()
	frame := Render(s.State(), 100, 3, s.Now(), plainStyle())
	if strings.Count(frame, "\n") != 3 || !strings.Contains(frame, "more") {
		t.Errorf("got\n%s", frame)
	}
}
