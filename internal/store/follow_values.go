package store

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/ddbdesk/ddbdesk/models"
)

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
		list := make([]types.AttributeValue, len(v.Value))
		for i := range v.Value {
			list[i] = valueOfStream(v.Value[i])
		}
		return &types.AttributeValueMemberL{Value: list}
	case *streams.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: itemOfStream(v.Value)}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
