package tiers

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

var nameOfKustomization = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// Parse reads a TIER_ORDER file and fills in its defaults. name is only used in
// errors, which are FileErrors: several are joined, in order of position.
func Parse(name string, data []byte) (*TierOrder, error) {
	d, err := read(name, data)
	if err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	d.checkDurations()
	if err := joinFaults(d.faults); err != nil {
		return nil, err
	}
	order := &TierOrder{Barriers: true}
	if err := d.root.Decode(order); err != nil {
		return nil, &FileError{File: name, Line: 1, Message: err.Error(), Hint: "use fewer aliases"}
	}
	order.File = name
	d.locate(order)
	order = order.fill()
	d.checkOrder(order)
	if err := joinFaults(d.faults); err != nil {
		return nil, err
	}
	return order, nil
}

// checkDurations finds what the schema's pattern lets through and time does
// not: a duration that is too long to count, and none at all.
func (d *document) checkDurations() {
	check := func(steps ...string) {
		text, given := get(d.value, steps...).(string)
		if !given {
			return
		}
		if v, err := time.ParseDuration(text); err != nil || v <= 0 {
			d.fault(d.at[pointerOf(steps)], fmt.Sprintf("%s is %q, which is not a duration to wait for", pathOf(steps), text), "write it like 90s, 10m or 1h30m")
		}
	}
	check("defaults", "timeout")
	tiers, _ := get(d.value, "tiers").([]any)
	for i, tier := range tiers {
		check("tiers", strconv.Itoa(i), "timeout")
		probes, _ := get(tier, "probes").([]any)
		for j := range probes {
			check("tiers", strconv.Itoa(i), "probes", strconv.Itoa(j), "timeout")
		}
	}
}

// locate notes the places that later findings point at, and takes webhook
// manifests from the document, whose numbers Kubernetes can use.
func (d *document) locate(order *TierOrder) {
	for i := range order.Tiers {
		t, at := &order.Tiers[i], strconv.Itoa(i)
		t.Pos = d.at[pointerOf([]string{"tiers", at})]
		for j := range t.Probes {
			p, steps := &t.Probes[j], []string{"tiers", at, "probes", strconv.Itoa(j)}
			p.Pos = d.at[pointerOf(steps)]
			if p.Webhook != nil {
				p.Webhook.Object, _ = get(d.value, append(steps, "webhook", "object")...).(map[string]any)
			}
		}
	}
	for i := range order.SecondOrder {
		order.SecondOrder[i].Pos = d.at[pointerOf([]string{"secondOrder", strconv.Itoa(i)})]
	}
}

// checkOrder finds what a schema cannot say: names that must be unique.
func (d *document) checkOrder(order *TierOrder) {
	names := map[string]int{}
	owners := map[Ref]int{}
	for i := range order.Tiers {
		t, steps := &order.Tiers[i], []string{"tiers", strconv.Itoa(i)}
		if first, taken := names[t.Name]; taken {
			d.fault(d.at[pointerOf(append(steps, "name"))], fmt.Sprintf("tier %q is listed twice", t.Name),
				fmt.Sprintf("the first one is in line %d", order.Tiers[first].Pos.Line))
		} else {
			names[t.Name] = i
			d.checkMembers(order, i, owners)
		}
		d.checkProbes(t, steps)
	}
}

// checkMembers finds Kustomizations that are listed twice.
func (d *document) checkMembers(order *TierOrder, i int, owners map[Ref]int) {
	t, at := &order.Tiers[i], strconv.Itoa(i)
	if t.Kustomizations == nil && !nameOfKustomization.MatchString(t.Name) {
		d.fault(d.at[pointerOf([]string{"tiers", at, "name"})],
			fmt.Sprintf("tier %q lists no Kustomizations, and its own name cannot be one's", t.Name), "add kustomizations: [...]")
		return
	}
	own := map[Ref]bool{} // leaveSuspended may repeat them
	claim := func(name string, leave bool, steps ...string) {
		ref := memberRef(order.Defaults.Namespace, name)
		first, taken := owners[ref]
		switch {
		case leave && own[ref]:
		case !taken:
			owners[ref], own[ref] = i, true
		default:
			hint := "keep one"
			if first != i {
				hint = fmt.Sprintf("keep it in tier %q or in tier %q", order.Tiers[first].Name, t.Name)
			}
			d.fault(d.at[pointerOf(steps)], fmt.Sprintf("Kustomization %s is listed twice", ref.NamespacedName()), hint)
		}
	}
	if t.Kustomizations == nil {
		claim(t.Name, false, "tiers", at, "name")
	}
	for j, name := range t.Kustomizations {
		claim(name, false, "tiers", at, "kustomizations", strconv.Itoa(j))
	}
	for j, name := range t.LeaveSuspended {
		claim(name, true, "tiers", at, "leaveSuspended", strconv.Itoa(j))
	}
}

// checkProbes finds probes of one tier with the same name: it names their steps.
func (d *document) checkProbes(t *Tier, steps []string) {
	seen := map[string]bool{}
	for j := range t.Probes {
		if name := t.Probes[j].Name; seen[name] {
			d.fault(d.at[pointerOf(append(steps, "probes", strconv.Itoa(j), "name"))],
				fmt.Sprintf("tier %q has two probes named %q", t.Name, name), "give each its own name")
		} else {
			seen[name] = true
		}
	}
}
