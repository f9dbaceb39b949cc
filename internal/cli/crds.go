package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/tiers"
)

// Flags of crds.
const (
	flagDryRun        = "dry-run"
	flagKustomization = "kustomization"
	flagPreApply      = "pre-apply"
)

type crdsOptions struct {
	common
	repairOptions
	DryRun   bool
	Only     tiers.Ref
	PreApply []tiers.Ref
	Patience time.Duration
	Report   string
}

func crdsCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "crds",
		Usage: "break a wedge: pre-apply the provider of the missing kinds",
		Description: "Finds the Kustomizations that fail on a kind which the API server does not serve,\n" +
			"and the one object of their sets whose controller, or chart, would bring the kind;\n" +
			"applies it as its Kustomization would, waits until the kind is served, and wakes\n" +
			"the Kustomization, which then makes the object its own. Changes nothing where\n" +
			"nothing is wedged. Output: table (on a terminal), plain, json, jsonl.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: flagDryRun, Usage: "print the objects that would be applied, and apply nothing", EnvVars: env(flagDryRun)},
			&cli.StringFlag{Name: flagKustomization, Usage: "look only at the Kustomization `NAMESPACE/NAME`", EnvVars: env(flagKustomization)},
			&cli.StringSliceFlag{Name: flagPreApply, Usage: "apply `KIND/NAMESPACE/NAME` of --kustomization's set as well; may be repeated"},
			&cli.DurationFlag{
				Name: flagPatience, Value: bootstrap.DefaultPatience, EnvVars: env(flagPatience),
				Usage: "give up on a kind that is not served `DURATION` after its provider was applied",
			},
			reportFlag(),
		}, repairFlags()...),
	}, func(c *cli.Context) error {
		o, err := parseCrds(c)
		if err != nil {
			return err
		}
		return explained(crds(c.Context, streams, o))
	})
}

func parseCrds(c *cli.Context) (crdsOptions, error) {
	var o crdsOptions
	var err error
	if o.common, err = parseCommon(c, outputTable, outputPlain, outputJSON, outputJSONL); err != nil {
		return o, err
	}
	o.repairOptions = parseRepair(c)
	o.DryRun, o.Patience, o.Report = flag(c, flagDryRun), duration(c, flagPatience), text(c, flagReport)
	if o.Patience <= 0 {
		return o, usagef("--patience %s is not positive", o.Patience)
	}
	if err := checkReport(o.Report); err != nil {
		return o, err
	}
	if name := text(c, flagKustomization); name != "" {
		if o.Only, err = kustomizationNamed(name, o.Namespace); err != nil {
			return o, err
		}
	}
	for _, name := range home(c, flagPreApply).StringSlice(flagPreApply) {
		ref, err := objectNamed(name)
		if err != nil {
			return o, err
		}
		o.PreApply = append(o.PreApply, ref)
	}
	if len(o.PreApply) > 0 && o.Only.IsZero() {
		return o, usagef("--pre-apply needs --kustomization: it names an object of that one's set")
	}
	return o, nil
}

// kustomizationNamed reads namespace/name, or a name in Flux's namespace.
func kustomizationNamed(text, namespace string) (tiers.Ref, error) {
	parts := strings.Split(text, "/")
	if len(parts) == 1 {
		parts = []string{namespace, text}
	}
	if len(parts) != 2 || slices.Contains(parts, "") {
		return tiers.Ref{}, usagef("--kustomization %q is not NAMESPACE/NAME", text)
	}
	return tiers.KustomizationRef(parts[0], parts[1]), nil
}

// objectNamed reads Kind/namespace/name, or Kind/name for what has no namespace.
func objectNamed(text string) (tiers.Ref, error) {
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		parts = []string{parts[0], "", parts[1]}
	}
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return tiers.Ref{}, usagef("--pre-apply %q is not KIND/NAMESPACE/NAME", text)
	}
	return tiers.Ref{Kind: parts[0], Namespace: parts[1], Name: parts[2]}, nil
}

func crds(ctx context.Context, streams Streams, o crdsOptions) (err error) {
	ctx, cancel := withTimeout(ctx, o.common)
	defer cancel()
	out := newRunOutput(streams, o.common, o.Report)
	var refused error
	defer func() { sayRemedies(streams, refused) }()
	defer func() { err = out.close(err) }()
	log := newLogger(out, o.LogFormat, o.Verbose)
	s, err := open(ctx, o.common, log)
	if err != nil {
		return err
	}
	use, sets, err := s.crds(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sets.Close()) }()
	p, err := use.Prescribe(ctx)
	if err != nil {
		if !o.DryRun && o.forPrograms() {
			use.Sink, refused = out.sink(), err
			return use.Refuse(err)
		}
		return err
	}
	for _, d := range p.Diagnoses {
		if d.Wedged() || d.Stale.Kind != "" {
			_, _ = fmt.Fprintf(streams.Err, "%s\n", d.Explain()) // stderr is for people
		}
	}
	switch {
	case o.DryRun:
		return printSeeds(streams, p)
	case len(p.Plan.Steps) == 0:
		return sayNothingToDo(streams, o, p)
	}
	lock, err := s.client.AcquireLock(ctx, kube.LockOptions{Namespace: o.Namespace, Identity: kube.Identity(use.ID)})
	if err != nil {
		return err
	}
	defer release(ctx, lock, log)
	use.Sink = out.sink()
	use.Fatal = firstOf(ctx, lock.Lost(), s.view.Failed())
	return use.Run(ctx, p)
}

// crds wires the use case.
func (s *session) crds(o crdsOptions) (*bootstrap.Crds, *bootstrap.Sets, error) {
	if !o.Only.IsZero() && s.view.Kustomization(o.Only) == nil {
		return nil, nil, usagef("--kustomization: %s does not exist", o.Only)
	}
	repair, sets, err := s.repair(o.common, o.repairOptions)
	if err != nil {
		return nil, nil, err
	}
	pace := bootstrap.DefaultPace()
	pace.Patience = o.Patience
	return &bootstrap.Crds{
		Sequencer: bootstrap.Sequencer{
			World: s.view, Looker: s.client, Writer: s.client, Order: s.order, ID: runID(), Pace: pace, Repair: repair,
		},
		Inspector: s.client, Namespace: o.Namespace, Only: o.Only, Extra: o.PreApply,
	}, sets, nil
}

// printSeeds writes what would be applied as YAML documents, each with its
// reason; values from Secrets are left out.
func printSeeds(streams Streams, p *bootstrap.Prescription) error {
	seeds := p.Seeds()
	if len(seeds) == 0 {
		return writeString(streams.Err, "standup: nothing would be applied\n")
	}
	for _, seed := range seeds {
		printable := seed.Printable.DeepCopy()
		unstructured.RemoveNestedField(printable.Object, "metadata", "creationTimestamp") // null: what Flux makes of any object
		data, err := yaml.Marshal(printable.Object)
		if err != nil {
			return fmt.Errorf("%s: %w", seed.Ref(), err)
		}
		if _, err := fmt.Fprintf(streams.Out, "---\n# %s, for %s: %s\n%s", seed.Ref(), seed.Owner, seed.Why, data); err != nil {
			return err
		}
	}
	return nil
}

// nothingToDo is the public form of that, schema standup.crds/v1.
type nothingToDo struct {
	Schema  string   `json:"schema"`
	Changed bool     `json:"changed"`
	Notes   []string `json:"notes"`
}

func sayNothingToDo(streams Streams, o crdsOptions, p *bootstrap.Prescription) error {
	notes := []string{}
	for _, d := range p.Diagnoses {
		if len(d.Missing) > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s", d.Kustomization, d.Summary()))
			notes = append(notes, (&wedge.Error{Diagnoses: []*wedge.Diagnosis{d}}).Remedies()...)
		}
	}
	notes = append(notes, p.Plan.Warnings...)
	if o.forPrograms() {
		return writeJSON(streams.Out, nothingToDo{Schema: "standup.crds/v1", Notes: notes})
	}
	text := "nothing to do: no Kustomization is wedged on a missing kind\n"
	for _, n := range notes {
		text += "  " + n + "\n"
	}
	return writeString(streams.Out, text)
}
