package handlers_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/runnertest"
)

// statements records what is asked of a store.
type statements struct {
	mu  sync.Mutex
	all []string
}

func (s *statements) tell(sql string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, sql)
}

// take gives the statements since the last call.
func (s *statements) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.all
	s.all = nil
	return out
}

// listSite is a server on a store that tells its statements, with a dataset of n
// traces.
func listSite(t *testing.T, database string, n int) (*site, models.Dataset, *statements) {
	t.Helper()
	ctx := context.Background()
	said := &statements{}
	store, err := models.Open(ctx, database, models.Options{MaxConns: 10, Log: slog.New(slog.DiscardHandler), Statements: said.tell})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.Migrate(ctx, nil); err != nil {
		t.Fatal(err)
	}
	d, err := modelstest.FillTraces(ctx, store, n, 7)
	if err != nil {
		t.Fatal(err)
	}
	b := runnertest.New(t, store)
	p, err := store.Project(ctx, admin, d.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	h := handlers.New(handlers.Config{Store: store, Runner: b.Runner, Ingest: b.Ingest, Project: p, Log: slog.New(slog.DiscardHandler), Version: "test"})
	t.Cleanup(h.Close)
	s := &site{Bench: b, server: httptest.NewServer(h), dataset: d}
	t.Cleanup(s.server.Close)
	s.client = s.server.Client()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	said.take()
	return s, d, said
}

// eachDatabase runs f with a new database of each engine.
func eachDatabase(t *testing.T, f func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "plumbline.db")) })
	t.Run("postgres", func(t *testing.T) { f(t, modelstest.PostgresURL(t)) })
}

var tableName = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+"?` + "`?" + `([a-z_]+)`)

// Whatever the filter and the sort, a list asks the same small number of questions,
// of tables that hold no large text, and the page stays small.
func TestTraceListReadsNoBlob(t *testing.T) {
	t.Parallel()
	// The columns of a row of the list: none holds a text of a patch, a step or an issue.
	short := []string{
		"agent", "agent_steps", "attempt", "bucket", "content_sha256", "cost_usd", "created_at", "dataset_id", "duration_ms", "f2p_all", "f2p_ok", "id",
		"input_tokens", "instance_id", "instance_row", "label", "label_source", "language", "model", "outcome_reason", "outcome_source", "output_tokens",
		"p2p_all", "p2p_ok", "patch_added", "patch_bytes", "patch_files", "patch_removed", "patch_sha256", "patch_state", "repo", "status", "step_count",
		"steps_sha256", "summary_sha256", "tests_applied", "tests_known", "trajectory",
	}
	const most = 20 // statements a page
	eachDatabase(t, func(t *testing.T, database string) {
		s, d, said := listSite(t, database, 2000)
		rows, err := s.Store.WriteDB().Query("SELECT * FROM traces WHERE 1 = 0")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil || rows.Close() != nil {
			t.Fatal(err)
		}
		slices.Sort(columns)
		if diff := cmp.Diff(short, columns); diff != "" {
			t.Errorf("a row of the list has other columns: %s", diff)
		}
		splits, err := s.Store.SplitNames(context.Background(), admin, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		filters := []string{
			"", "label=defective", "bucket=regression", "label=defective&without=bucket", "agent=2025-agent-001", "repo=umbra%2Fparser", "model=model-1",
			"state=null", "reason=infra", "source=imported", "without=agent,split", "q=acme", "q=nowhere", "split=" + url.QueryEscape(splits[0].ID),
			"label=unknown&agent=2025-agent-002&repo=acme%2Fledger&state=text&reason=error&q=10",
		}
		for _, filter := range filters {
			if page := s.get(t, "/datasets/"+d.ID+"/traces?"+filter); !strings.Contains(page, "2,000 traces<") {
				t.Errorf("%s does not say how large the dataset is", filter)
			}
		}
		for _, filter := range filters {
			counts := map[int]bool{}
			for _, sort := range []string{"", "instance", "label", "repo", "agent", "model", "size", "steps", "cost", "outcome"} {
				for _, sign := range []string{"", "-"} {
					path := "/datasets/" + d.ID + "/traces?" + filter
					if sort != "" {
						path += "&sort=" + sign + sort
					}
					said.take()
					page := s.get(t, path)
					if len(page) >= 200_000 {
						t.Errorf("%s: %d bytes", path, len(page))
					}
					asked := said.take()
					counts[len(asked)] = true
					if len(asked) > most {
						t.Errorf("%s asks %d questions: %s", path, len(asked), strings.Join(asked, "\n"))
					}
					for _, sql := range asked {
						for _, m := range tableName.FindAllStringSubmatch(sql, -1) {
							if !slices.Contains([]string{"datasets", "traces", "instances", "splits", "split_traces"}, m[1]) {
								t.Fatalf("%s reads %s: %s", path, m[1], sql)
							}
						}
					}
				}
			}
			if len(counts) != 1 {
				t.Errorf("under %q the sorts ask different numbers of questions: %v", filter, counts)
			}
		}
	})
}

// totalOf reads how many traces a list says it has.
func totalOf(t *testing.T, page string) int {
	t.Helper()
	m := regexp.MustCompile(`>([\d,]+)(?: of [\d,]+)? traces?<`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the list does not say how many traces it has:\n%.2000s", page)
	}
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// compositionLinks are the counts of the composition table and where they lead.
func compositionLinks(t *testing.T, page string) map[string]int {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	var table *html.Node
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == "composition-table" {
				table = n
			}
		}
	}
	if table == nil {
		t.Fatal("there is no composition")
	}
	for n := range table.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" || n.FirstChild == nil {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" {
				k, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(n.FirstChild.Data), ",", ""))
				if err != nil {
					t.Fatal(err)
				}
				out[a.Val] = k
			}
		}
	}
	return out
}

// Every count of the composition leads to a list of exactly so many traces, also
// for defects of no named kind and for traces without an agent, repository or
// split.
func TestCompositionLeadsToItsTraces(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		s, d, _ := listSite(t, database, 1500)
		store := s.Store
		if _, err := store.WriteDB().Exec(`UPDATE traces SET agent = '' WHERE agent = '2025-agent-002'`); err != nil {
			t.Fatal(err)
		}
		if _, err := store.WriteDB().Exec(`UPDATE traces SET repo = '' WHERE repo = 'umbra/planner'`); err != nil {
			t.Fatal(err)
		}
		base := "/datasets/" + d.ID
		for _, by := range []string{"agent", "repository", "split"} {
			links := compositionLinks(t, s.get(t, base+"?by="+by))
			sum, blank := 0, 0
			for href, n := range links {
				if got := totalOf(t, s.get(t, href)); got != n {
					t.Errorf("by %s: %s leads to %d traces, the count is %d", by, href, got, n)
				}
				if strings.Contains(href, "without=") {
					blank++
				}
				if href == base+"/traces" {
					sum = n
				}
			}
			if sum != 1500 || blank < 4 {
				t.Errorf("by %s: %d traces in all and %d counts of something not named", by, sum, blank)
			}
		}
	})
}

// A list is labelled by its filter, after a look at what it holds; a selection that
// has changed since is not labelled.
func TestLabelManyOverHTTP(t *testing.T) {
	t.Parallel()
	s, d, _ := listSite(t, filepath.Join(t.TempDir(), "plumbline.db"), 1500)
	base := "/datasets/" + d.ID
	list := s.get(t, base+"/traces?agent=2025-agent-001&label=unknown&sort=-cost")
	n := totalOf(t, list)
	forms := links(t, list, base+"/label")
	if len(forms) != 1 || n == 0 {
		t.Fatalf("the list of %d traces links to %q", n, forms)
	}
	form := s.get(t, forms[0])
	clean(t, forms[0], form)
	for _, want := range []string{fmt.Sprintf("%d traces with label unknown and agent 2025-agent-001", n), `name="expect" value="` + strconv.Itoa(n) + `"`, `name="filter.agent" value="2025-agent-001"`} {
		if !strings.Contains(form, want) {
			t.Errorf("the form lacks %q", want)
		}
	}
	const hostile = `/label?agent=%3Cscript%3Ex%3C/script%3E%E2%80%AE&without=%3Cb%3E`
	if code, page, _ := s.ask(t, http.MethodGet, base+hostile, "", nil); code != http.StatusUnprocessableEntity || strings.Contains(page, "<script>x") {
		t.Errorf("an odd filter: %d", code)
	}
	none := base + `/label?agent=%3Cscript%3Ex%3C/script%3E%E2%80%AE`
	page := s.get(t, none)
	clean(t, none, page)
	if !strings.Contains(page, "0 traces with agent &lt;script&gt;x&lt;/script&gt;") || strings.Contains(page, "&lt;/script&gt;\u202e. Each") {
		t.Error("a hostile agent is not shown as text")
	}
	fields := url.Values{
		"label": {"defective"}, "bucket": {"omission"}, "reason": {"the <tests> were run by hand"}, "expect": {strconv.Itoa(n - 1)},
		"filter.agent": {"2025-agent-001"}, "filter.label": {"unknown"},
	}
	code, page, _ := s.post(t, base+"/label", fields)
	if code != http.StatusUnprocessableEntity || !strings.Contains(page, "Nothing was changed") {
		t.Errorf("a changed selection: %d", code)
	}
	fields.Set("reason", "")
	if code, page, _ = s.post(t, base+"/label", fields); code != http.StatusUnprocessableEntity || !strings.Contains(page, "say why") {
		t.Errorf("no reason: %d", code)
	}
	fields.Set("reason", "the <tests> were run by hand")
	fields.Set("expect", strconv.Itoa(n))
	code, _, where := s.post(t, base+"/label", fields)
	if code != http.StatusSeeOther || where != base+"#labels" {
		t.Fatalf("labelled: %d to %q", code, where)
	}
	if got := totalOf(t, s.get(t, base+"/traces?agent=2025-agent-001&source=manual&bucket=omission")); got != n {
		t.Errorf("%d traces are labelled by hand, want %d", got, n)
	}
	shown := s.get(t, base)
	clean(t, base, shown)
	if !strings.Contains(shown, "the &lt;tests&gt; were run by hand") || !strings.Contains(shown, "Labels changed") {
		t.Error("the page of the dataset does not tell of the change")
	}
}
