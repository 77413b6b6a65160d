package components

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"
)

// Table is a list with sortable heads, rows for the keys j and k, keyset pages
// and, on narrow screens, cards. Every cell is a component; Text makes one.
type Table struct {
	ID       string
	Caption  string // read to screen readers; shown when ShowCaption
	Columns  []Column
	Rows     []Row
	Empty    Empty // shown instead of a table without rows
	Pager    Pager
	Chooser  Chooser
	Plain    bool // no row keys, no hover: a table of numbers beside a chart
	Compact  bool
	Middle   bool // cells are centred on the line: rows of chips and marks
	ShowName bool
	NoLinks  bool // the reader may open no other page: no head leads to a definition
}

// Column is a head with its sorting and its definition.
type Column struct {
	Key      string
	Head     string
	Title    string // explanation on hover
	Numeric  bool   // right-aligned
	SortHref string // empty: not sortable
	Sorted   Sorted
	Metric   string // key of a Definition the head links to
	Primary  bool   // the heading of a card on narrow screens
}

// metric is the definition the head leads to: the one it names, or, for numbers
// without an explanation of their own, the one whose name it bears.
func (t Table) metric(c Column) string {
	if t.NoLinks {
		return ""
	}
	if c.Metric != "" || !c.Numeric || c.Title != "" {
		return c.Metric
	}
	for _, d := range Definitions {
		if strings.EqualFold(d.Name, c.Head) {
			return d.Key
		}
	}
	return ""
}

// Sorted says whether and how a table is sorted by a column.
type Sorted int

// Orders of a column.
const (
	Unsorted Sorted = iota
	Ascending
	Descending
)

func (s Sorted) aria() string {
	switch s {
	case Ascending:
		return "ascending"
	case Descending:
		return "descending"
	}
	return "none"
}

func (s Sorted) arrow() string {
	switch s {
	case Ascending:
		return "↑"
	case Descending:
		return "↓"
	}
	return ""
}

// Row is one line. Cells are in the order of the columns; a short row is filled
// with nothing.
type Row struct {
	ID      string
	Arm     string // id of the arm the row stands for; charts select it
	Current bool   // the selected row of the URL
	Faint   bool
	Cells   []templ.Component
}

func (r Row) cell(i int) templ.Component {
	if i < len(r.Cells) && r.Cells[i] != nil {
		return r.Cells[i]
	}
	return templ.NopComponent
}

// Pager links to the neighbouring keyset pages.
type Pager struct {
	Shown string // "1–50 of 411 traces"
	Prev  string // href, empty: none
	Next  string
}

// Chooser lets the reader pick the columns; the choice is in the URL.
type Chooser struct {
	Action  string // path the form goes to
	Name    string // parameter, "col" when empty
	Options []Choice
	Keep    []Pair // the other parameters of the URL
}

// Choice is one column of a Chooser or one option of a field.
type Choice struct {
	Value, Text string
	Selected    bool
}

// Pair is a name and a value.
type Pair struct{ Name, Value string }

func (c Chooser) name() string {
	if c.Name != "" {
		return c.Name
	}
	return "col"
}

// With returns path?query with one parameter set, or dropped when value is
// empty. The keyset cursor ("after", "before") is dropped too: another order or
// filter starts at the first page.
func With(path string, query url.Values, name, value string) string {
	q := url.Values{}
	for k, v := range query {
		if k != "after" && k != "before" {
			q[k] = v
		}
	}
	if value == "" {
		q.Del(name)
	} else {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// SortBy fills the sorting of a column from the URL's "sort" parameter, which is
// the key of a column, with a leading "-" for descending. A first click sorts
// numbers descending and text ascending; a second one turns the order.
func SortBy(c Column, path string, query url.Values) Column {
	current := query.Get("sort")
	desc := strings.HasPrefix(current, "-")
	next := c.Key
	if c.Numeric {
		next = "-" + c.Key
	}
	if strings.TrimPrefix(current, "-") == c.Key {
		c.Sorted = Ascending
		next = "-" + c.Key
		if desc {
			c.Sorted = Descending
			next = c.Key
		}
	}
	c.SortHref = With(path, query, "sort", next)
	return c
}
