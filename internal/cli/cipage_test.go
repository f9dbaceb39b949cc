package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What the page about CI shows is what the program takes.
func TestThePageAboutCI(t *testing.T) {
	data, err := os.ReadFile("../../docs/runbooks/rehearse-in-ci.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	_, workflow, _ := strings.Cut(page, "```yaml\n")
	workflow, _, _ = strings.Cut(workflow, "```")
	var parsed struct {
		Jobs map[string]struct{ Steps []map[string]any }
	}
	if err := yaml.Unmarshal([]byte(workflow), &parsed); err != nil || len(parsed.Jobs["rehearse"].Steps) < 5 {
		t.Errorf("the workflow has %d steps: %v", len(parsed.Jobs["rehearse"].Steps), err)
	}
	commands := regexp.MustCompile(`(?m)(?:"\$STANDUP" |standup )((?:rehearse|tiers check) --path \. [^>|`+"`"+`:]*)`).FindAllStringSubmatch(page, -1)
	if len(commands) != 7 {
		t.Errorf("%d commands, want 7: %q", len(commands), commands)
	}
	for _, c := range commands {
		args := strings.Fields(strings.NewReplacer(`"$ENTRY"`, "clusters/prod", "--path .", "--path "+homelab).Replace(c[1]))
		if text, code := ranAs(t, args...); code != ExitOK {
			t.Errorf("%v: exit code %d\n%s", args, code, text)
		}
	}
}
