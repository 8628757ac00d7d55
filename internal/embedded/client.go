package embedded

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// Do answers the request in process, without a network, and makes the store an
// HTTPClient of the AWS SDK. It returns the context's error if the request was canceled
// before it took effect.
func (s *Store) Do(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	status, header, body := s.respond(r)
	if r.Body != nil {
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil && status == statusCancelled {
		return nil, err
	}
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}
