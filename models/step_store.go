package models

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// sized inserts rows in statements of bounded size, so that large texts are not
// held in number.
type sized[T any] struct {
	tx    *gorm.DB
	rows  []T
	bytes int
}

const (
	statementRows  = 200
	statementBytes = 1 << 20
)

func (s *sized[T]) put(row T, bytes int) error {
	if len(s.rows) > 0 && (len(s.rows) >= statementRows || s.bytes+bytes > statementBytes) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.rows, s.bytes = append(s.rows, row), s.bytes+bytes
	return nil
}

func (s *sized[T]) flush() error {
	if len(s.rows) == 0 {
		return nil
	}
	err := s.tx.Create(&s.rows).Error
	clear(s.rows)
	s.rows, s.bytes = s.rows[:0], 0
	return err
}

// stepWriter inserts steps of one trace after the other.
type stepWriter struct {
	rows  sized[StepRow]
	texts sized[StepText]
}

func newStepWriter(tx *gorm.DB) *stepWriter {
	return &stepWriter{rows: sized[StepRow]{tx: tx}, texts: sized[StepText]{tx: tx}}
}

// all takes every step of an attempt.
func (w *stepWriter) all(traceID string, t TraceInput) error {
	i := 0
	put := func(st trace.Step) error {
		text := StepText{TraceID: traceID, Idx: i, Thought: st.Thought, Action: st.Action, Observation: st.Observation}
		row := stepRow(traceID, i, st)
		i++
		if err := w.rows.put(row, 0); err != nil {
			return err
		}
		return w.texts.put(text, len(text.Thought)+len(text.Action)+len(text.Observation))
	}
	switch {
	case t.Steps != nil && t.Steps.Each != nil:
		return t.Steps.Each(put)
	case t.Steps != nil && t.Steps.Len > 0:
		return errors.New("the steps of the trace are not at hand")
	}
	for _, st := range t.Trace.Steps {
		if err := put(CleanStep(st)); err != nil {
			return err
		}
	}
	return nil
}

func (w *stepWriter) flush() error {
	if err := w.rows.flush(); err != nil {
		return err
	}
	return w.texts.flush()
}

// stepRow makes the row of a step whose texts are clean.
func stepRow(traceID string, idx int, st trace.Step) StepRow {
	row := StepRow{
		TraceID: traceID, Idx: idx, Kind: string(st.Kind), Tool: st.Tool, Failed: st.Error, ExitCode: st.ExitCode,
		CostUSD: st.CostUSD, InputTokens: st.InputTokens, OutputTokens: st.OutputTokens,
		Bytes: int64(len(st.Thought) + len(st.Action) + len(st.Observation)),
	}
	if !st.StartedAt.IsZero() {
		at := stamp(st.StartedAt)
		row.StartedAt = &at
	}
	if st.Duration != nil {
		ms := int64(*st.Duration / time.Millisecond)
		row.DurationMS = &ms
	}
	for _, text := range []string{st.Action, st.Thought, st.Observation} {
		if row.Title = headline(text, 120); row.Title != "" {
			break
		}
	}
	return row
}

// headline is the first non-blank line of a text, cut to n characters.
func headline(text string, n int) string {
	if len(text) > 64*n {
		text = text[:64*n]
	}
	for line := range strings.Lines(Clean(text)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > n {
			line = string([]rune(line)[:n-1]) + "…"
		}
		return line
	}
	return ""
}
