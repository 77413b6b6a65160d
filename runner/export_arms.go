package runner

import (
	"context"
	"io"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/experiments/export"
	"plumbline/experiments/stats"
)

func (x *exporting) arms(ctx context.Context, w io.Writer) error {
	res, err := x.runner.Results(ctx, x.viewer, x.experiment.ID, ResultOptions{})
	if err != nil {
		return err
	}
	t, err := export.NewTable[export.Rate](x.form, w)
	if err != nil {
		return err
	}
	for _, a := range res.Arms {
		for _, m := range a.Measures {
			x.report.Rows++
			if err := t.Put(a.rate(m)); err != nil {
				return err
			}
		}
	}
	return t.Close()
}

func (a ArmResult) rate(m stats.Measured) export.Rate {
	r := export.Rate{
		Arm: a.Arm.ID, Reviewer: a.Arm.ReviewerName, Model: a.Arm.Model, EvidenceForm: a.Arm.Form, Badges: strings.Join(a.Badges(), " "),
		Metric: string(m.Metric), K: int64(m.K), N: int64(m.N), Value: m.Value, UndefinedBecause: m.Reason,
	}
	if i := m.Wilson; i != nil {
		r.WilsonLo, r.WilsonHi = &i.Lo, &i.Hi
	}
	if i := m.Bootstrap; i != nil {
		n := int64(i.Resamples)
		r.BootstrapLo, r.BootstrapHi, r.BootstrapResamples, r.BootstrapSeed = &i.Lo, &i.Hi, &n, &i.Seed
		r.Warnings = strings.Join(i.Warnings, " ")
	}
	return r
}

// Badges are the marks of an arm by their stable keys, for exports.
func (a ArmResult) Badges() []string {
	var out []string
	if a.Arm.Simulated {
		out = append(out, "simulated")
	}
	if !evidence.Form(a.Arm.Form).Deployable() {
		out = append(out, "not-deployable")
	}
	if a.Cost.Cached > 0 {
		out = append(out, "cached")
	}
	return out
}
