package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// plainPool asks url for n answers with this body by a pool of workers, and keeps
// the answers in memory: the least that anybody could do. It returns the time it
// took.
func plainPool(url string, body []byte, n, workers int) (time.Duration, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	defer client.CloseIdleConnections()
	answers := make([]string, n)
	next := make(chan int)
	failed := make(chan error, workers)
	var wg sync.WaitGroup
	start := time.Now()
	for range workers {
		wg.Go(func() {
			for i := range next {
				text, err := plainCall(client, url, body)
				if err != nil {
					select {
					case failed <- err:
					default:
					}
				}
				answers[i] = text
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	took := time.Since(start)
	select {
	case err := <-failed:
		return took, err
	default:
	}
	for i, a := range answers {
		if a == "" {
			return took, fmt.Errorf("call %d of the plain pool brought no answer", i)
		}
	}
	return took, nil
}

func plainCall(client *http.Client, url string, body []byte) (string, error) {
	res, err := client.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("call the endpoint: %w", err)
	}
	defer res.Body.Close()
	var out struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return "", fmt.Errorf("read the endpoint's answer: %w", err)
	}
	if len(out.Choices) == 0 {
		return "", errors.New("the endpoint's answer is empty")
	}
	return out.Choices[0].Message.Content, nil
}
