package table

import (
	"fmt"
	"time"

	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/waiters"
)

// row is one line of the table, before widths are known.
type row struct {
	status   view.Status
	name     string
	progress string
	state    string
	why      string
	elapsed  string
	member   bool // indented, under the tier above
	folded   bool // stands for rows that did not fit
}

// rowsOf makes a row for each tier, and rows for those of its members that
// matter.
func rowsOf(v *view.View, now time.Time) []row {
	var rows []row
	for i := range v.Others {
		if it := &v.Others[i]; it.Status != view.Ready && it.Status != view.Pending {
			rows = append(rows, itemRow(v, it, now, false))
		}
	}
	for i := range v.Tiers {
		t := &v.Tiers[i]
		members := memberRows(v, t, now)
		r := row{
			status: t.Status, name: t.Name, state: tierState(t),
			progress: fmt.Sprintf("%d/%d", t.Ready, t.Total),
			elapsed:  spell(t.Elapsed(now)),
		}
		if t.Total == 0 {
			r.progress = ""
		}
		if len(members) == 0 {
			r.why = v.TierWhy(t)
		}
		rows = append(rows, r)
		rows = append(rows, members...)
	}
	return rows
}

// memberRows shows members only where the tier's own row cannot say it: more
// than one, and in flight, or gone wrong.
func memberRows(v *view.View, t *view.Tier, now time.Time) []row {
	if len(t.Members)+len(t.Probes) < 2 {
		return nil
	}
	var rows []row
	for _, part := range [][]view.Item{t.Members, t.Probes} {
		for i := range part {
			if it := &part[i]; it.Status == view.Running || it.Status == view.Failed {
				rows = append(rows, itemRow(v, it, now, true))
			}
		}
	}
	if len(rows) == 1 && t.Status == view.Running && rows[0].status == view.Running {
		return nil // the tier's own row names it
	}
	return rows
}

func itemRow(v *view.View, it *view.Item, now time.Time, member bool) row {
	return row{
		status: it.Status, name: it.Name, state: itemState(it),
		why: v.Why(it), elapsed: spell(it.Elapsed(now)), member: member,
	}
}

// itemState is the word in the state column: what is seen says more than
// "Running".
func itemState(it *view.Item) string {
	if it.Status == view.Running && it.Seen.State != waiters.Unknown && it.Seen.State != waiters.Ready {
		return it.Seen.State.String()
	}
	return it.Status.String()
}

// tierState is the state of the one item where there is only one.
func tierState(t *view.Tier) string {
	if len(t.Members) == 1 && len(t.Probes) == 0 {
		return itemState(&t.Members[0])
	}
	for i := range t.Probes {
		if t.Status == view.Running && t.Ready == t.Total && t.Probes[i].Status == view.Running {
			return "Probing"
		}
	}
	return t.Status.String()
}

func spell(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return view.Duration(d.Truncate(time.Second)) // tenths would flicker
}

// fit folds rows until they fit into height lines: the oldest finished tiers
// first, then the last pending ones, then members, then whatever is left.
func fit(rows []row, height int) []row {
	rows = foldRun(rows, height, view.Ready, false, "ready")
	rows = foldRun(rows, height, view.Pending, true, "waiting")
	rows = foldMembers(rows, height)
	if len(rows) <= height || height <= 0 {
		return rows
	}
	hidden := len(rows) - height + 1
	return append(rows[:height-1:height-1], row{folded: true, why: fmt.Sprintf("%d more", hidden)})
}

// foldRun replaces as many tier rows of one status as are too many by one line
// that counts them, from the top or from the bottom.
func foldRun(rows []row, height int, status view.Status, fromBottom bool, word string) []row {
	over := len(rows) - height
	var at []int
	for i, r := range rows {
		if r.status == status && !r.member && !r.folded {
			at = append(at, i)
		}
	}
	// A fold saves one line less than it hides.
	if over <= 0 || len(at) < 2 {
		return rows
	}
	n := min(over+1, len(at))
	at = at[:n:n]
	if fromBottom {
		at = lastOf(rows, status, n)
	}
	hide := make(map[int]bool, n)
	for _, i := range at {
		hide[i] = true
	}
	var out []row
	for i, r := range rows {
		if i == at[0] {
			out = append(out, row{folded: true, status: status, why: view.Count(n, "tier") + " " + word})
		}
		if !hide[i] {
			out = append(out, r)
		}
	}
	return out
}

func lastOf(rows []row, status view.Status, n int) []int {
	var at []int
	for i, r := range rows {
		if r.status == status && !r.member && !r.folded {
			at = append(at, i)
		}
	}
	return at[len(at)-n:]
}

// foldMembers hides the last running members first; what failed stays.
func foldMembers(rows []row, height int) []row {
	over := len(rows) - height
	if over <= 0 {
		return rows
	}
	hide := map[int]bool{}
	for i := len(rows) - 1; i >= 0 && len(hide) < over+1; i-- {
		if rows[i].member && rows[i].status == view.Running {
			hide[i] = true
		}
	}
	if len(hide) < 2 {
		return rows
	}
	var out []row
	told := false
	for i, r := range rows {
		if !hide[i] {
			out = append(out, r)
			continue
		}
		if !told {
			told = true
			out = append(out, row{folded: true, member: true, why: fmt.Sprintf("%d more in flight", len(hide))})
		}
	}
	return out
}
