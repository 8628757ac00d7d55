package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go/ptr"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Record is one change of an item, from the stream of its table. Before and After are nil if the item did not exist,
// or if the stream omits them. The values are not masked.
type Record struct {
	At            time.Time // in whole seconds
	Sequence      string
	Keys          models.Item
	Before, After models.Item
	Kind          RecordKind
	Expired       bool // time to live removed the item
}

// Item returns the item after the change, or else the last image before its removal, or else its key. It is never nil
// for a DynamoDB record, which always contains the key.
func (r *Record) Item() models.Item {
	switch {
	case r.After != nil:
		return r.After
	case r.Before != nil:
		return r.Before
	}
	return r.Keys
}

// Compare orders records by time, then by sequence number.
func (r Record) Compare(o Record) int {
	return cmp.Or(r.At.Compare(o.At), cmp.Compare(len(r.Sequence), len(o.Sequence)), strings.Compare(r.Sequence, o.Sequence))
}

// A RecordKind is the kind of a change.
type RecordKind string

// These are the kinds of records.
const (
	Inserted RecordKind = "INSERT"
	Modified RecordKind = "MODIFY"
	Removed  RecordKind = "REMOVE"
)

// A Follower reads the stream of a table. It returns the records of one item in the order of the changes, and those of
// different items in approximate order. AWS charges each GetRecords as a read request of DynamoDB Streams, even an
// empty one, so wait between calls of Next. A Follower needs no closing. It is not safe for concurrent use.
type Follower interface {
	// Next returns the records since the last call, at most about a thousand from each shard. gap reports that the
	// stream trimmed earlier records, which it keeps for only 24 hours. A follower without a start time returns nothing
	// on the first call. After an error, the caller can repeat the call without losing records.
	Next(ctx context.Context) (records []Record, gap bool, err error)

	// More reports whether the stream may contain further records already. Then the next call of Next need not wait, even
	// if the last one returned no records: all of them may precede the start time.
	More() bool

	// View returns the view type of the stream.
	View() models.StreamView
}

// A follower implements Follower.
type follower struct {
	conn      *Connection
	table     string
	arn       string
	view      models.StreamView
	since     time.Time // omit earlier records; zero to start from now on
	startedAt time.Time // time of the first read
	shards    []*followedShard
	known     map[string]bool // shards seen so far, including fully read ones
	stale     bool            // there may be new shards
	gap       bool            // the stream has trimmed records since the last result
}

// A followedShard is read up to its last record, then its children follow.
type followedShard struct {
	id       string
	from     streams.ShardIteratorType // start position if no record has been read
	last     string                    // sequence number of the last record read
	iterator *string                   // nil if a new iterator is needed
	since    time.Time                 // omit earlier records
	caughtUp bool                      // the shard has been read up to its last record at some time

	emptyResponses int // number of responses without records since the last record
}

// maxEmptyResponses is the number of consecutive empty responses that count as the end of an open shard. DynamoDB does
// not report this end, and may return empty responses before it.
const maxEmptyResponses = 3

// Follow implements Reader.
func (r *reader) Follow(ctx context.Context, table string, since time.Time) (Follower, error) {
	f, err := r.follow(ctx, table)
	if err != nil {
		return nil, err
	}
	f.since = since
	return f, nil
}

func (r *reader) follow(ctx context.Context, table string) (*follower, error) {
	info, err := r.DescribeTable(ctx, table)
	if err != nil {
		return nil, err
	}
	if info.StreamARN == "" || info.Stream == noStream {
		return nil, r.conn.streamOffError(table)
	}
	return &follower{
		conn: r.conn, table: table, arn: info.StreamARN, view: models.StreamView(info.Stream), known: map[string]bool{},
	}, nil
}

func (c *Connection) streamOffError(table string) error {
	advice := "to enable it, run ddbdesk serve and aws dynamodb update-table with --endpoint-url; for a new table, set " +
		"stream: new_and_old_images in the schema"
	if !c.target.Embedded {
		advice = "enable it with aws dynamodb update-table --table-name " + table +
			" --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES --region " + c.target.Region
		if c.target.Custom {
			advice += " --endpoint-url " + c.target.Endpoint
		}
		if c.target.Profile != "" {
			advice += " --profile " + c.target.Profile
		}
	}
	return &Error{Class: StreamOff, Table: table, Problem: "table " + table + " has no stream", Advice: advice}
}

// More implements Follower.
func (f *follower) More() bool {
	return f.stale || slices.ContainsFunc(f.shards, func(sh *followedShard) bool { return !sh.caughtUp || sh.emptyResponses == 0 })
}

// View implements Follower.
func (f *follower) View() models.StreamView { return f.view }

// Next implements Follower.
func (f *follower) Next(ctx context.Context) (records []Record, gap bool, err error) {
	if f.startedAt.IsZero() {
		f.startedAt = f.conn.now().Truncate(time.Second)
		f.stale = true
	}
	if f.stale {
		if err := f.addShards(ctx); err != nil {
			return nil, false, err
		}
	}
	if len(f.shards) == 0 {
		return nil, false, f.conn.streamOffError(f.table)
	}
	for i := 0; i < len(f.shards); i++ {
		found, ended, readErr := f.read(ctx, f.shards[i])
		records = append(records, found...)
		if readErr != nil {
			err = readErr
			break
		}
		if ended {
			f.shards = slices.Delete(f.shards, i, i+1)
			f.stale = true
			i--
		}
	}
	if len(records) == 0 && err != nil {
		return nil, false, err // with records, the next call fails again
	}
	slices.SortStableFunc(records, Record.Compare)
	gap, f.gap = f.gap, false
	return records, gap, nil
}

// addShards adds new shards whose parents have been read. Without a start time, it skips old records of open shards.
func (f *follower) addShards(ctx context.Context) error {
	from := streams.ShardIteratorTypeTrimHorizon
	if f.since.IsZero() && len(f.known) == 0 {
		from = streams.ShardIteratorTypeLatest
	}
	all, _, err := f.describe(ctx)
	if err != nil {
		return err
	}
	isUnread := map[string]bool{} // shards with unread parents
	for _, sh := range f.shards {
		isUnread[sh.id] = true
	}
	var added []streams.Shard
	for _, sh := range all {
		id := aws.ToString(sh.ShardId)
		isOpen := sh.SequenceNumberRange == nil || sh.SequenceNumberRange.EndingSequenceNumber == nil
		switch {
		case f.known[id]:
		case from == streams.ShardIteratorTypeLatest && !isOpen:
			f.known[id] = true // its records are too old
		default:
			isUnread[id] = true
			added = append(added, sh)
		}
	}
	for _, sh := range added {
		if id := aws.ToString(sh.ShardId); !isUnread[aws.ToString(sh.ParentShardId)] {
			f.known[id] = true
			isNew := from == streams.ShardIteratorTypeLatest
			f.shards = append(f.shards, &followedShard{id: id, from: from, since: f.since, caughtUp: isNew})
		}
	}
	f.stale = false
	return nil
}

func (f *follower) describe(ctx context.Context) (all []streams.Shard, created time.Time, err error) {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(f.arn)}
	for {
		out, err := streamCall(ctx, f, "DescribeStream", in, f.conn.stream.DescribeStream)
		if err != nil {
			return nil, created, f.describeError(err)
		}
		d := out.StreamDescription
		if d == nil {
			return nil, created, f.conn.failure(ctx, f.subject("DescribeStream"), missingFieldError("StreamDescription"))
		}
		all, created = append(all, d.Shards...), ptr.ToTime(d.CreationRequestDateTime)
		if d.LastEvaluatedShardId == nil {
			return all, created, nil
		}
		in.ExclusiveStartShardId = d.LastEvaluatedShardId
	}
}

func (f *follower) describeError(err error) error {
	if ClassOf(err) == TableMissing {
		return f.conn.streamOffError(f.table)
	}
	return err
}

func (f *follower) read(ctx context.Context, sh *followedShard) (records []Record, ended bool, err error) {
	for tries := 0; ; tries++ {
		var out *dynamodbstreams.GetRecordsOutput
		if err = f.findIterator(ctx, sh); err == nil {
			in := &dynamodbstreams.GetRecordsInput{ShardIterator: sh.iterator}
			out, err = streamCall(ctx, f, "GetRecords", in, f.conn.stream.GetRecords)
		}
		switch {
		case err == nil:
			sh.countResponse(len(out.Records))
			records, err = f.addRecords(sh, out)
			sh.iterator = out.NextShardIterator
			if err != nil {
				sh.iterator = nil // Continue after the last returned record.
			}
			return records, out.NextShardIterator == nil && err == nil, err
		case tries == 2:
			return nil, false, err
		case hasType[*streams.ExpiredIteratorException](err):
			// A new iterator begins after the last record. Without one, the time determines which records are new.
			if sh.last == "" && sh.from == streams.ShardIteratorTypeLatest {
				sh.from, sh.since = streams.ShardIteratorTypeTrimHorizon, f.startedAt
			}
		case hasType[*streams.TrimmedDataAccessException](err):
			f.gap = true
			sh.last, sh.from = "", streams.ShardIteratorTypeTrimHorizon
		case ClassOf(err) == TableMissing && tries == 0:
			// The stream trimmed the shard before it was read. Its children follow.
			f.gap = true
			return nil, true, nil
		default:
			return nil, false, err
		}
		sh.iterator = nil
	}
}

func (sh *followedShard) countResponse(records int) {
	if sh.emptyResponses++; records > 0 {
		sh.emptyResponses = 0
	}
	sh.caughtUp = sh.caughtUp || sh.emptyResponses >= maxEmptyResponses
}

func (f *follower) findIterator(ctx context.Context, sh *followedShard) error {
	if sh.iterator != nil {
		return nil
	}
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: aws.String(f.arn), ShardId: aws.String(sh.id), ShardIteratorType: sh.from}
	if sh.last != "" {
		in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeAfterSequenceNumber, aws.String(sh.last)
	}
	out, err := streamCall(ctx, f, "GetShardIterator", in, f.conn.stream.GetShardIterator)
	if err == nil {
		sh.iterator = out.ShardIterator
	}
	return err
}

func (f *follower) addRecords(sh *followedShard, out *dynamodbstreams.GetRecordsOutput) (records []Record, err error) {
	for _, record := range out.Records {
		d := record.Dynamodb
		if d == nil {
			return records, &Error{Class: Service, Operation: "GetRecords", Table: f.table, Problem: "a stream record contains no change"}
		}
		sh.last = aws.ToString(d.SequenceNumber)
		r := Record{
			At: ptr.ToTime(d.ApproximateCreationDateTime), Sequence: sh.last, Kind: RecordKind(record.EventName),
			Keys: itemOfStream(d.Keys), Before: itemOfStream(d.OldImage), After: itemOfStream(d.NewImage),
		}
		r.Expired = record.UserIdentity != nil && aws.ToString(record.UserIdentity.PrincipalId) == "dynamodb.amazonaws.com"
		if !r.At.Before(sh.since) {
			records = append(records, r)
		}
	}
	return records, nil
}

func (f *follower) subject(operation string) subject {
	return subject{operation: operation, table: f.table}
}

func streamCall[I, O any](
	ctx context.Context, f *follower, operation string, in *I,
	send func(context.Context, *I, ...func(*dynamodbstreams.Options)) (*O, error),
) (*O, error) {
	return sendRequest(ctx, f.conn, f.subject(operation), func(r aws.RetryerV2) (*O, error) {
		return send(ctx, in, func(o *dynamodbstreams.Options) { o.Retryer = r })
	}, ignoreOutput)
}

func itemOfStream(it map[string]streams.AttributeValue) models.Item {
	if it == nil {
		return nil
	}
	out := make(models.Item, len(it))
	for name, v := range it {
		out[name] = valueOfStream(v)
	}
	return out
}

func valueOfStream(v streams.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *streams.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: v.Value}
	case *streams.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: v.Value}
	case *streams.AttributeValueMemberB:
		return &types.AttributeValueMemberB{Value: v.Value}
	case *streams.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Value}
	case *streams.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: v.Value}
	case *streams.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: v.Value}
	case *streams.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: v.Value}
	case *streams.AttributeValueMemberL:
		return &types.AttributeValueMemberL{Value: models.MapSlice(v.Value, valueOfStream)}
	case *streams.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: itemOfStream(v.Value)}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// StreamRetention is how long a stream keeps records. Source: Amazon DynamoDB Developer Guide, "Change data capture for
// DynamoDB Streams".
const StreamRetention = 24 * time.Hour

// A Lookback reads the past records of a table's stream. It reads the newest shards first, so that the oldest part is
// missing if the caller stops. It does not need to be closed. It is not safe for concurrent use.
type Lookback interface {
	// Next sends one GetRecords and returns its records, which may be none. The records of one shard are in the order
	// of their changes. After an error, the caller can repeat the call.
	Next(ctx context.Context) ([]Record, error)
	// More reports whether there may be more records.
	More() bool
	// Complete returns the time since which Next has returned every change, or a time after now if there is none yet.
	Complete(now time.Time) time.Time
	// View returns the view type of the stream.
	View() models.StreamView
}

// A lookback implements Lookback.
type lookback struct {
	*follower
	created time.Time    // creation time of the stream; zero until it is described
	past    []*pastShard // newest first
}

// A pastShard is read from its first record to its last.
type pastShard struct {
	followedShard
	children []*pastShard
	first    time.Time // time of the first record; zero before a record was read
	done     bool
}

// Lookback implements Reader.
func (r *reader) Lookback(ctx context.Context, table string) (Lookback, error) {
	f, err := r.follow(ctx, table)
	if err != nil {
		return nil, err
	}
	return &lookback{follower: f}, nil
}

// Next implements Lookback.
func (l *lookback) Next(ctx context.Context) ([]Record, error) {
	if l.startedAt.IsZero() {
		if err := l.findShards(ctx); err != nil {
			return nil, err
		}
		l.startedAt = l.conn.now()
	}
	i := slices.IndexFunc(l.past, func(sh *pastShard) bool { return !sh.done })
	if i < 0 {
		return nil, nil
	}
	sh := l.past[i]
	records, ended, err := l.read(ctx, &sh.followedShard)
	if len(records) > 0 && sh.first.IsZero() {
		sh.first = records[0].At
	}
	sh.done = err == nil && (ended || sh.caughtUp)
	return records, err
}

func (l *lookback) findShards(ctx context.Context) error {
	all, created, err := l.describe(ctx)
	if err != nil {
		return err
	}
	l.created = created
	byID := map[string]*pastShard{}
	for _, sh := range all {
		id := aws.ToString(sh.ShardId)
		byID[id] = &pastShard{followedShard: followedShard{id: id, from: streams.ShardIteratorTypeTrimHorizon}}
	}
	for _, sh := range all {
		if parent := byID[aws.ToString(sh.ParentShardId)]; parent != nil {
			parent.children = append(parent.children, byID[aws.ToString(sh.ShardId)])
		}
	}
	var add func(sh *pastShard)
	added := map[*pastShard]bool{}
	add = func(sh *pastShard) {
		if added[sh] {
			return
		}
		added[sh] = true
		for _, child := range sh.children {
			add(child)
		}
		l.past = append(l.past, sh)
	}
	for _, sh := range slices.Backward(all) {
		add(byID[aws.ToString(sh.ShardId)])
	}
	return nil
}

// More implements Lookback.
func (l *lookback) More() bool {
	return l.startedAt.IsZero() || slices.ContainsFunc(l.past, func(sh *pastShard) bool { return !sh.done })
}

// Complete implements Lookback. Every record of an unread shard is older than the first record of its children. Records
// have whole seconds, so records within the same second may be missing.
func (l *lookback) Complete(now time.Time) time.Time {
	if l.startedAt.IsZero() || l.created.IsZero() {
		return now.Add(StreamRetention)
	}
	complete := later(l.created, now.Add(-StreamRetention)).Add(time.Second - 1).Truncate(time.Second)
	for _, sh := range l.past {
		if !sh.done {
			complete = later(complete, sh.earliestChild(now.Add(StreamRetention)).Truncate(time.Second).Add(time.Second))
		}
	}
	return complete
}

func (sh *pastShard) earliestChild(at time.Time) time.Time {
	for _, child := range sh.children {
		start := child.first
		if start.IsZero() {
			start = child.earliestChild(at)
		}
		if start.Before(at) {
			at = start
		}
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
