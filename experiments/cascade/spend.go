package cascade

import "time"

// Spend is what was used. It adds up; what is unknown is counted and never taken
// for nothing.
type Spend struct {
	Calls        int           `json:"calls"` // to models
	InputTokens  int64         `json:"input_tokens"`
	OutputTokens int64         `json:"output_tokens"`
	Uncounted    int           `json:"uncounted"` // calls whose tokens are unknown
	USD          float64       `json:"usd"`       // of the priced calls
	Unpriced     int           `json:"unpriced"`  // calls whose price is unknown
	Runs         int           `json:"runs"`      // programs run in the sandbox
	Sandbox      time.Duration `json:"sandbox"`   // wall time of those runs
}

// Plus adds up.
func (s Spend) Plus(o Spend) Spend {
	return Spend{
		s.Calls + o.Calls, s.InputTokens + o.InputTokens, s.OutputTokens + o.OutputTokens, s.Uncounted + o.Uncounted,
		s.USD + o.USD, s.Unpriced + o.Unpriced, s.Runs + o.Runs, s.Sandbox + o.Sandbox,
	}
}

// CostUSD is the whole cost; nil with a reason when the price of a call is unknown.
func (s Spend) CostUSD() (*float64, string) {
	if s.Unpriced > 0 {
		return nil, "the price of some calls is unknown"
	}
	usd := s.USD
	return &usd, ""
}
