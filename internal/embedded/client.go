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
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	s.ServeHTTP(rec, r)
	if r.Body != nil {
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil && rec.status == statusCancelled {
		return nil, err
	}
	return &http.Response{
		Status: strconv.Itoa(rec.status) + " " + http.StatusText(rec.status), StatusCode: rec.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: rec.header, Body: io.NopCloser(bytes.NewReader(rec.body)), ContentLength: int64(len(rec.body)), Request: r,
	}, nil
}

// recorder is a ResponseWriter that keeps the response. It does not copy the body: the
// handler writes it once and does not use the bytes afterward.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(p []byte) (int, error) {
	if r.body == nil {
		r.body = p
	} else {
		r.body = append(r.body, p...)
	}
	return len(p), nil
}
