package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// Names of the global flags. Each is also an environment variable.
const (
	flagKubeconfig = "kubeconfig"
	flagContext    = "context"
	flagNamespace  = "namespace"
	flagAs         = "as"
	flagTierOrder  = "tier-order"
	flagOutput     = "output"
	flagLogFormat  = "log-format"
	flagVerbose    = "verbose"
	flagColor      = "color"
	flagTimeout    = "timeout"
	flagCatalog    = "catalog"
)

// Values of --output.
const (
	outputTable = "table"
	outputPlain = "plain"
	outputJSON  = "json"
	outputJSONL = "jsonl"
	outputText  = "text"
)

func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: flagKubeconfig, Usage: "`FILE` to find the cluster with; default $KUBECONFIG, ~/.kube/config, in-cluster", EnvVars: env(flagKubeconfig)},
		&cli.StringFlag{Name: flagContext, Usage: "kubeconfig context `NAME`", EnvVars: env(flagContext)},
		&cli.StringFlag{Name: flagNamespace, Aliases: []string{"n"}, Usage: "`NAMESPACE` of Flux and of the lock", Value: "flux-system", EnvVars: env(flagNamespace)},
		&cli.StringFlag{Name: flagAs, Usage: "`USER` to impersonate", EnvVars: env(flagAs)},
		&cli.StringFlag{Name: flagTierOrder, Aliases: []string{"f"}, Usage: "TIER_ORDER `FILE`; default TIER_ORDER.yaml, bootstrap/TIER_ORDER.yaml", EnvVars: env(flagTierOrder)},
		&cli.StringFlag{Name: flagOutput, Aliases: []string{"o"}, Usage: "output `FORMAT`; each command has its own", EnvVars: env(flagOutput)},
		&cli.StringFlag{Name: flagLogFormat, Usage: "log `FORMAT`: console or json", Value: "console", EnvVars: env(flagLogFormat)},
		&cli.BoolFlag{Name: flagVerbose, Aliases: []string{"v"}, Usage: "say more, on stderr", EnvVars: env(flagVerbose)},
		&cli.StringFlag{Name: flagColor, Usage: "colours: auto, always or never", Value: "auto", EnvVars: env(flagColor)},
		&cli.StringFlag{Name: flagCatalog, Usage: "`DIR` of catalogue entries that add to, or replace, the built-in ones", EnvVars: env(flagCatalog)},
		&cli.DurationFlag{Name: flagTimeout, Usage: "give up after `DURATION`; 0 leaves it to the tiers' own time-outs", EnvVars: env(flagTimeout)},
	}
}

func env(flag string) []string {
	return []string{"STANDUP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))}
}

// home finds the context in which a flag that exists globally and on the
// command was set: after the command's name, else before it, else by default
// or environment.
func home(c *cli.Context, name string) *cli.Context {
	for _, l := range c.Lineage() {
		if slices.Contains(l.LocalFlagNames(), name) {
			return l
		}
	}
	return c
}

func text(c *cli.Context, name string) string            { return home(c, name).String(name) }
func flag(c *cli.Context, name string) bool              { return home(c, name).Bool(name) }
func duration(c *cli.Context, name string) time.Duration { return home(c, name).Duration(name) }

// common are the validated global options.
type common struct {
	Kubeconfig, Context, Namespace, As string
	TierOrder, Catalog                 string
	Output                             string
	LogFormat                          string
	Verbose                            bool
	Color                              string
	Timeout                            time.Duration
}

// forPrograms reports whether the output is one that a program reads.
func (o common) forPrograms() bool { return o.Output == outputJSON || o.Output == outputJSONL }

// parseCommon validates the global options; outputs are those that the command
// knows, the first being its default.
func parseCommon(c *cli.Context, outputs ...string) (common, error) {
	o := common{
		Kubeconfig: text(c, flagKubeconfig), Context: text(c, flagContext), Namespace: text(c, flagNamespace), As: text(c, flagAs),
		TierOrder: text(c, flagTierOrder), Catalog: text(c, flagCatalog), Output: text(c, flagOutput), LogFormat: text(c, flagLogFormat),
		Verbose: flag(c, flagVerbose), Color: text(c, flagColor), Timeout: duration(c, flagTimeout),
	}
	if o.Output != "" && !slices.Contains(outputs, o.Output) {
		return common{}, badOutput(o.Output, outputs...)
	}
	if o.LogFormat != "console" && o.LogFormat != "json" {
		return common{}, usagef("--log-format %q is not known; it is console or json", o.LogFormat)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.Color) {
		return common{}, usagef("--color %q is not known; it is auto, always or never", o.Color)
	}
	if o.Timeout < 0 {
		return common{}, usagef("--timeout %s is negative", o.Timeout)
	}
	return o, nil
}

func badOutput(got string, known ...string) error {
	return usagef("--output %q is not known here; it is %s", got, strings.Join(known, ", "))
}

func writeJSON(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("result cannot be written as JSON: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
