package simulate

// Preset names.
const (
	Strong  = "simulated-strong"
	Small   = "simulated-small"
	Erratic = "simulated-erratic"
)

// Presets returns the reviewers of the demonstration. Their rates are invented;
// only the pattern follows paper G §5: testimony misses defects, structured
// evidence moves catch and over-rejection up together, grounded evidence
// improves both.
func Presets() []Reviewer {
	return []Reviewer{
		preset(Strong, 0.45, map[string]Confusion{
			"summary":            rows(0.78, 0.08, 0.01, 0.62, 0.20, 0.01),
			"patch":              rows(0.86, 0.05, 0.01, 0.55, 0.30, 0.01),
			"trace":              rows(0.80, 0.08, 0.01, 0.50, 0.34, 0.01),
			"structured":         rows(0.42, 0.44, 0.01, 0.09, 0.80, 0.01),
			"structured-empty":   rows(0.74, 0.12, 0.01, 0.48, 0.36, 0.01),
			"structured-missing": rows(0.40, 0.47, 0.01, 0.03, 0.92, 0.01),
			"official":           rows(0.970, 0.010, 0.005, 0.010, 0.975, 0.005),
			"official-notes":     rows(0.920, 0.050, 0.005, 0.010, 0.980, 0.005),
			"checked":            rows(0.72, 0.13, 0.005, 0.14, 0.74, 0.005),
		}),
		preset(Small, 0.60, map[string]Confusion{
			"summary":            rows(0.88, 0.03, 0.02, 0.84, 0.06, 0.02),
			"patch":              rows(0.90, 0.02, 0.02, 0.80, 0.09, 0.02),
			"trace":              rows(0.76, 0.09, 0.04, 0.66, 0.17, 0.04),
			"structured":         rows(0.33, 0.52, 0.03, 0.18, 0.68, 0.03),
			"structured-empty":   rows(0.70, 0.14, 0.03, 0.62, 0.22, 0.03),
			"structured-missing": rows(0.24, 0.66, 0.03, 0.05, 0.88, 0.03),
			"official":           rows(0.90, 0.05, 0.02, 0.06, 0.89, 0.02),
			"official-notes":     rows(0.78, 0.15, 0.02, 0.05, 0.91, 0.02),
			"checked":            rows(0.62, 0.20, 0.02, 0.22, 0.63, 0.02),
		}),
		preset(Erratic, 0.10, map[string]Confusion{
			"summary":            rows(0.58, 0.18, 0.08, 0.50, 0.26, 0.08),
			"patch":              rows(0.56, 0.20, 0.08, 0.46, 0.30, 0.08),
			"trace":              rows(0.50, 0.22, 0.14, 0.42, 0.30, 0.14),
			"structured":         rows(0.34, 0.42, 0.10, 0.22, 0.54, 0.10),
			"structured-empty":   rows(0.48, 0.26, 0.10, 0.42, 0.32, 0.10),
			"structured-missing": rows(0.28, 0.50, 0.09, 0.14, 0.66, 0.09),
			"official":           rows(0.74, 0.11, 0.06, 0.12, 0.74, 0.06),
			"official-notes":     rows(0.66, 0.19, 0.06, 0.11, 0.76, 0.06),
			"checked":            rows(0.56, 0.20, 0.07, 0.22, 0.56, 0.07),
		}),
	}
}

// Preset returns the reviewer of the demonstration with this name.
func Preset(name string) (Reviewer, bool) {
	for _, r := range Presets() {
		if r.Name == name {
			return r, true
		}
	}
	return Reviewer{}, false
}

// preset uses the rates of the patch form for evidence forms it does not know.
func preset(name string, correlation float64, forms map[string]Confusion) Reviewer {
	return Reviewer{Name: name, Confusion: forms["patch"], Correlation: correlation, Forms: forms}
}

// rows builds a matrix from accept, reject and unparseable on acceptable (a)
// and on defective (d) traces; what is left to 1 is uncertain.
func rows(aAccept, aReject, aBad, dAccept, dReject, dBad float64) Confusion {
	row := func(accept, reject, bad float64) Rates {
		return Rates{Accept: accept, Reject: reject, Uncertain: 1 - accept - reject - bad, Unparseable: bad}
	}
	return Confusion{Acceptable: row(aAccept, aReject, aBad), Defective: row(dAccept, dReject, dBad)}
}
