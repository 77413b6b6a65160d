package formats

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// CSV tables: votes, decisions, dataset rows, predictions with or without an
// outcome, critic tables. The first line names the columns; the separator is the
// comma, the semicolon or the tab, whichever the first line has most of. A row
// with another number of cells is a problem with its line; cells may be of any
// length and hold line breaks.

// columns of the first line of a CSV file, nil when it is none.
func (l *look) columns() []string {
	if l.json != nil || l.text == "" {
		return nil
	}
	line := headLine(l.text)
	sep := separator(line)
	if !strings.ContainsRune(line, sep) || len(line) > 8<<10 {
		return nil
	}
	r := csv.NewReader(strings.NewReader(line))
	r.Comma, r.LazyQuotes = sep, true
	cells, err := r.Read()
	if err != nil {
		return nil
	}
	return columnNames(cells)
}

// headLine is the first line that is not blank.
func headLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \r\n"), "\n")
	return strings.TrimRight(line, "\r")
}

func columnNames(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = strings.ToLower(strings.TrimSpace(c))
	}
	return out
}

func separator(line string) rune {
	best, n := ',', strings.Count(line, ",")
	for _, c := range []rune{';', '\t'} {
		if k := strings.Count(line, string(c)); k > n {
			best, n = c, k
		}
	}
	return best
}

func hasColumns(cols []string, want ...string) bool {
	set := map[string]bool{}
	for _, c := range cols {
		set[c] = true
	}
	for _, w := range want {
		if !set[w] {
			return false
		}
	}
	return true
}

func matchVotesCSV(l *look) Confidence {
	if hasColumns(l.columns(), "instance_id", "reviewer", "verdict") {
		return Certain
	}
	return None
}

func matchDecisionsCSV(l *look) Confidence {
	if hasColumns(l.columns(), "instance_id", "reviewer", "decision") {
		return Certain
	}
	return None
}

func matchRowsCSV(l *look) Confidence {
	if c := l.columns(); hasColumns(c, "instance_id", "base_commit") || hasColumns(c, "instance_id", "problem_statement") {
		return Certain
	}
	return None
}

func matchPredictionsCSV(l *look) Confidence {
	if c := l.columns(); hasColumns(c, "instance_id", "model_patch") || hasColumns(c, "instance_id", "resolved") || hasColumns(c, "instance_id", "label") {
		return Certain
	}
	return None
}

func matchCritics(l *look) Confidence {
	c := l.columns()
	if hasColumns(c, "instance_id", "patch_id") && (hasColumns(c, "y") || hasColumns(c, "hidden_pass_rate") || hasColumns(c, "generator")) {
		return Certain
	}
	return None
}

// eachRow calls fn with each row by column name and its line.
func (x *reading) eachRow(fn func(line int, row map[string]string) error) error {
	br := bufio.NewReaderSize(x.in, 64<<10)
	if b, err := br.Peek(3); err == nil && string(b) == "\ufeff" {
		_, _ = br.Discard(3) // peeked
	}
	head, _ := br.Peek(64 << 10) // a short file gives what it has
	scan := &csvScan{r: br, sep: byte(separator(headLine(string(head)))), line: 1}
	var cols []string
	n := 0
	defer func() { x.count(n) }()
	for {
		cells, at, err := scan.record()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errOpenQuote) {
			x.problem(at, "", err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		blank := len(cells) == 1 && strings.TrimSpace(cells[0]) == ""
		if cols == nil && !blank {
			cols = columnNames(cells)
			continue
		}
		if len(cells) != len(cols) {
			if blank {
				x.report.Empty++
				continue
			}
			x.problem(at, "", fmt.Sprintf("%d cells, the first line names %d", len(cells), len(cols)))
			continue
		}
		row := make(map[string]string, len(cols))
		for i, c := range cells {
			row[cols[i]] = strings.ToValidUTF8(c, "\uFFFD")
		}
		n++
		if err := fn(at, row); err != nil {
			if x.stop != nil {
				return x.stop
			}
			x.fault(at, "", err)
		}
	}
}

// tree turns a row into an object as JSON would give it: empty cells are absent,
// numbers and booleans are typed where the column is one.
func rowTree(row map[string]string) object {
	m := object{}
	for k, v := range row {
		if v == "" && k != "model_patch" {
			continue
		}
		m[k] = v
		switch k {
		case "attempt", "index", "seed", "confidence", "cost_usd", "input_tokens", "output_tokens", "accept", "reject", "uncertain", "unparseable",
			"request_attempts", "latency_ms", "cached_tokens", "cached_votes":
			if _, err := strconv.ParseFloat(v, 64); err == nil {
				m[k] = jsonpull.Number(v)
			}
		case "resolved", "cached", "simulated", "not_deployable":
			if b, ok := truth(v); ok {
				m[k] = b
			}
		}
	}
	return m
}

// unguard takes off the apostrophe that keeps a spreadsheet from running a text as
// a formula.
func unguard(row map[string]string) {
	for k, v := range row {
		if len(v) > 1 && v[0] == '\'' && strings.IndexByte("=+-@\t\r'", v[1]) >= 0 {
			row[k] = v[1:]
		}
	}
}

// truth reads a yes or no.
func truth(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "1.0", "true", "yes", "pass", "passed", "resolved", "acceptable":
		return true, true
	case "0", "0.0", "false", "no", "fail", "failed", "unresolved", "defective":
		return false, true
	}
	return false, false
}

func readTable(x *reading) error {
	return x.eachRow(func(line int, row map[string]string) error {
		if x.format == VotesCSV || x.format == DecisionsCSV {
			unguard(row)
		}
		m := rowTree(row)
		at := x.at(line, "")
		switch x.format {
		case VotesCSV:
			return x.vote(at, m)
		case DecisionsCSV:
			return x.decision(at, m)
		case RowsCSV:
			return x.row(at, m)
		case PredictionsCSV:
			return x.labelled(at, m)
		}
		return x.critic(at, row)
	})
}

// labelled emits a prediction whose outcome may stand in a column resolved or
// label.
func (x *reading) labelled(at Pos, m object) error {
	p := &Prediction{Pos: at, InstanceID: instanceID(m), Model: first(m, "model_name_or_path", "model"), Agent: str(m["agent"]), Attempt: whole(m["attempt"])}
	if p.InstanceID == "" {
		return errNoID
	}
	p.setPatch(m)
	p.Usage.CostUSD, p.Usage.InputTokens, p.Usage.OutputTokens = float(m["cost_usd"]), integer(m["input_tokens"]), integer(m["output_tokens"])
	p.Resolved = boolean(m["resolved"])
	if b, ok := truth(str(m["label"])); ok && p.Resolved == nil {
		p.Resolved = &b
	}
	return x.put(p)
}

// critic reads a row of a critic table: y is the truth, columns of 0 and 1 are
// critics, other numbers are values.
func (x *reading) critic(at Pos, row map[string]string) error {
	c := &Critic{Pos: at, Benchmark: row["benchmark"], Generator: row["generator"], InstanceID: row["instance_id"], Candidate: row["patch_id"], Passed: map[string]bool{}, Values: map[string]float64{}}
	if c.InstanceID == "" {
		return errNoID
	}
	for k, v := range row {
		switch k {
		case "benchmark", "generator", "instance_id", "patch_id":
			continue
		case "y":
			if b, ok := truth(v); ok {
				c.Correct = &b
			}
			continue
		}
		if v == "0" || v == "1" {
			c.Passed[k] = v == "1"
		} else if f, err := strconv.ParseFloat(v, 64); err == nil && float(jsonpull.Number(v)) != nil {
			c.Values[k] = f
		}
	}
	return x.put(c)
}

func itoa(i int) string { return strconv.Itoa(i) }

// parseText reads a JSON value at the start of a text.
func parseText(s string) (any, error) { return jsonpull.New(strings.NewReader(s)).Value() }
