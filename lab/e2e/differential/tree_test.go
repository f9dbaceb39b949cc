package differential

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

// tree is what is compared: a checkout in the form of the rehearsal's cases,
// and what the head of the archive says of the world before Flux.
type tree struct {
	name    string
	archive *txtar.Archive
	entry   string
	seeded  []string
	// baseline is the head's own YAML, and objects what it says exists.
	baseline string
	objects  []baselineObject
	// elsewhere: the case is about another version of Flux, other flags, or the
	// step from an earlier revision, which are not what the lab plays.
	elsewhere bool
}

type baselineObject struct {
	Kind      string `yaml:"kind"`
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
	Absent    bool   `yaml:"absent"`
}

// parseTree reads an archive. A head with a word that is not known here is an
// error: it would be silently left out of the lab.
func parseTree(name string, text []byte) (*tree, error) {
	t := &tree{name: name, archive: txtar.Parse(text)}
	for line := range strings.Lines(string(t.archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "":
		case "entry":
			t.entry = value
		case "seeded":
			t.seeded = append(t.seeded, value)
		case "baseline":
			t.baseline = value
			var b struct {
				Objects []baselineObject `yaml:"objects"`
			}
			if err := yaml.Unmarshal([]byte(value), &b); err != nil {
				return nil, fmt.Errorf("%s: baseline: %w", name, err)
			}
			t.objects = b.Objects
		case "from", "path", "flux", "concurrent":
			t.elsewhere = true
		default:
			return nil, fmt.Errorf("%s: the head says %q, which the lab cannot play", name, key)
		}
	}
	return t, nil
}

// files are those of the checkout.
func (t *tree) files() []txtar.File {
	var files []txtar.File
	for _, f := range t.archive.Files {
		if f.Name != "want" {
			files = append(files, f)
		}
	}
	return files
}

// text is the archive, to be read or kept as a case.
func (t *tree) text() string { return string(txtar.Format(t.archive)) }

// checkout writes the files to a directory.
func (t *tree) checkout(dir string) error {
	for _, f := range t.files() {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// documents are the YAML documents of a file.
func documents(data []byte) ([]*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []*yaml.Node
	for {
		doc := &yaml.Node{}
		err := dec.Decode(doc)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
}

const noSourceWatcher = "source-watcher, which makes the artifacts, is not one of the lab's controllers"

// notPlayed are cases that the lab cannot play, each with the reason.
var notPlayed = map[string]string{
	"artifact-generator":                   noSourceWatcher,
	"artifact-generator-behind-its-reader": noSourceWatcher,
	"artifact-generator-fails":             noSourceWatcher,
	"artifact-generator-of-others":         noSourceWatcher,
	"artifact-generator-pattern":           noSourceWatcher,
	"artifact-refused-by-its-gate":         "the flags of the controllers are the lab's own",
	"E01-there":                            "its ciphertext is made up, and the real controller would have to decrypt it",
	"E08":                                  "the lab would have to serve git at a name of the cluster's DNS, which it does not have",
	"E08-app":                              "a registry of the cluster is mapped to a directory, which the lab's registry does not serve",
	"D11-waits":                            "what helm-controller does after a failed install is not stood in",
	"D13-pods":                             "what helm-controller does after a failed install is not stood in",
	"custom-stage-of-a-release":            "the flags of the controllers are the lab's own",
	"custom-stage-with-the-source":         "the flags of the controllers are the lab's own",
	"custom-stage-without-the-source":      "the flags of the controllers are the lab's own",
	"entry-applied-by-hand":                "how the entry is synced is the lab's own",
	"entry-source-by-another-name":         "how the entry is synced is the lab's own",
	"entry-synced-by-an-instance":          "how the entry is synced is the lab's own",
	"flux-as-bootstrap-wrote-it":           "the lab has one version of Flux",
	"flux-as-the-tree-pins-it":             "the lab has one version of Flux",
	"health-check-expr-gates-a-provider":   "the stand-in of the operator sets conditions and no phase",
	"rewritten-as-it-is-applied":           "its webhook and workload are not whole: the API server refuses them",
	"rewritten-by-a-chart":                 "its webhook and workload are not whole: the API server refuses them",
	"values-in-a-configmap-of-the-tree":    "the stand-ins look at the values in the release alone",
	"source-mapped":                        "the same: a registry's content is a directory",
}

const casesDir = "../../../rehearsal/testdata"

// cases are the archives of the rehearsal's own tests.
func cases(t *testing.T) []*tree {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(casesDir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", casesDir, err)
	}
	var trees []*tree
	left := len(notPlayed)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if notPlayed[name] != "" {
			left--
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := parseTree(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if !tr.elsewhere {
			trees = append(trees, tr)
		}
	}
	if left != 0 {
		t.Errorf("notPlayed names %d cases that do not exist", left)
	}
	return trees
}
