package handlers

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
)

// experimentArmsCSV downloads every rate of every arm with both intervals.
func (h *Handlers) experimentArmsCSV(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	m, err := h.results.get(ctx, v, e, false)
	if err != nil {
		return err
	}
	w := csvFile(c, e.ID+"-arms.csv")
	if err := w.Write([]string{"arm", "reviewer", "model", "evidence_form", "badges", "metric", "k", "n", "value", "undefined_because",
		"wilson_lo", "wilson_hi", "bootstrap_lo", "bootstrap_hi", "bootstrap_resamples", "bootstrap_seed", "warnings"}); err != nil {
		return err
	}
	o := optionsOf("", nil)
	for i, a := range m.Arms {
		var badges []string
		for _, b := range armRow(e, i, a, o).Badges {
			badges = append(badges, b.Key)
		}
		for _, r := range a.Measures {
			record := []string{a.Arm.ID, a.Arm.ReviewerName, a.Arm.Model, a.Arm.Form, strings.Join(badges, " "), string(r.Metric), strconv.Itoa(r.K), strconv.Itoa(r.N),
				number(r.Value), r.Reason, "", "", "", "", "", "", ""}
			if r.Wilson != nil {
				record[10], record[11] = number(&r.Wilson.Lo), number(&r.Wilson.Hi)
			}
			if b := r.Bootstrap; b != nil {
				record[12], record[13], record[14] = number(&b.Lo), number(&b.Hi), strconv.Itoa(b.Resamples)
				record[15], record[16] = strconv.FormatUint(b.Seed, 10), strings.Join(b.Warnings, " ")
			}
			for j := range 5 {
				record[j] = plainCell(record[j])
			}
			if err := w.Write(record); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// number writes a value so that it reads back the same; unknown is empty.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// voteLine is one vote of the export.
type voteLine struct {
	Experiment   string          `json:"experiment"`
	Arm          string          `json:"arm"`
	Item         string          `json:"item"`
	Index        int             `json:"index"`
	Vote         string          `json:"vote"`
	Confidence   *float64        `json:"confidence"`
	Rationale    string          `json:"rationale"`
	Citations    json.RawMessage `json:"citations"`
	Problem      string          `json:"problem,omitempty"`
	Evidence     string          `json:"evidence_sha256"`
	Request      string          `json:"request_sha256"`
	Seed         int64           `json:"seed"`
	Attempts     int             `json:"attempts"`
	LatencyMS    int64           `json:"latency_ms"`
	InputTokens  *int64          `json:"input_tokens"`
	OutputTokens *int64          `json:"output_tokens"`
	CostUSD      *float64        `json:"cost_usd"`
	PriceVersion string          `json:"price_version,omitempty"`
	Cached       bool            `json:"cached"`
	At           string          `json:"at"`
	Raw          string          `json:"raw"`
}

// experimentVotesJSONL streams every vote with what the reviewer wrote.
func (h *Handlers) experimentVotesJSONL(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set(echo.HeaderContentType, "application/x-ndjson; charset=utf-8")
	head.Set(echo.HeaderContentDisposition, `attachment; filename="`+e.ID+`-votes.jsonl"`)
	c.Response().WriteHeader(http.StatusOK)
	enc := json.NewEncoder(c.Response())
	return h.store.EachVote(ctx, v, e.ID, func(d models.VoteDetail) error {
		line := voteLine{
			Experiment: d.ExperimentID, Arm: d.ArmID, Item: d.ItemID, Index: d.Idx, Vote: d.Vote, Confidence: d.Confidence, Rationale: d.Rationale,
			Problem: d.Problem, Evidence: d.EvidenceSHA256, Request: d.RequestSHA256, Seed: d.Seed, Attempts: d.Attempts, LatencyMS: d.LatencyMS,
			InputTokens: d.InputTokens, OutputTokens: d.OutputTokens, CostUSD: d.CostUSD, PriceVersion: d.PriceVersion, Cached: d.Cached,
			At: d.CreatedAt.UTC().Format("2006-01-02T15:04:05.999999Z"), Raw: d.Raw,
		}
		if json.Valid([]byte(d.Citations)) {
			line.Citations = json.RawMessage(d.Citations)
		}
		return enc.Encode(line)
	})
}
