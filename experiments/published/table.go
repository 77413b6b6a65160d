package published

// Paper is one of the three papers.
type Paper struct {
	Letter  string // "G", "B", "T"
	Authors string
	Title   string
	Link    string // arXiv number; empty where none is known
}

// The papers.
var (
	G = Paper{"G", "Guo, Gu, Jin, Lavaei", "Groundability, Not Scale Alone: When Weak Reviewers Can Audit Strong Coding Agents", ""}
	B = Paper{"B", "Papamarkou, Smirnov, Mazanov, Vazhentsev, Nakov, Baldwin, Shelmanov", "Bayesian Control for Coding Agents", "arXiv 2606.24453"}
	T = Paper{"T", "Menet, Hersche, Krause, Rahimi", "A Theoretical Analysis of Test-Driven Code Generation", "arXiv 2602.06098"}
)

// Papers lists the papers in the order of the loop: review, control, generation.
func Papers() []Paper { return []Paper{G, B, T} }

// Table is a published table, or the figures of a passage.
type Table struct {
	Key   string // stable name, in addresses and files: "g-table-3"
	Paper Paper
	Place string // "Table 3", "§6.1"
	Title string
	// Columns are the heads; the first ones, as many as a row has Heads, name the row.
	Columns []string
	Rows    []Row
	Notes   []string
	// Source is where the numbers are if not in the paper itself.
	Source string
}

// Row is one line: the names of its case and its cells as printed. An empty cell
// was not published.
type Row struct {
	Heads []string
	Cells []string
}

// Tables lists every table, by paper and place.
func Tables() []Table {
	var all []Table
	for _, list := range [][]Table{reviewTables, controlTables, generationTables} {
		all = append(all, list...)
	}
	return all
}

// ByKey is the table of that key, and whether there is one.
func ByKey(key string) (Table, bool) {
	for _, t := range Tables() {
		if t.Key == key {
			return t, true
		}
	}
	return Table{}, false
}

// Cite is the source in words: "paper G, Table 3".
func (t Table) Cite() string { return "paper " + t.Paper.Letter + ", " + t.Place }

// cell is the printed text at a row, found by its heads, and a column. It panics
// where there is none: the tables and their users are constants of this package.
func (t Table) cell(column string, heads ...string) string {
	at := -1
	for i, c := range t.Columns {
		if c == column {
			at = i
		}
	}
	for _, r := range t.Rows {
		if equal(r.Heads, heads) && at >= len(r.Heads) {
			return r.Cells[at-len(r.Heads)]
		}
	}
	panic("published: " + t.Key + " has no cell " + column)
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
