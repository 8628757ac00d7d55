# What a person with the AWS CLI does, against the endpoint that is the argument. Region and credentials come from
# the environment. Each call starts Python anew: boto3_client.py asks the rest.
set -eu
endpoint=$1
db() { aws --endpoint-url "$endpoint" --output json dynamodb "$@"; }

# refused CODE ARGS...: the call must fail with this error, in the CLI's words.
refused() {
  code=$1
  shift
  if said=$(db "$@" 2>&1); then
    echo "not refused: $code"
    exit 1
  fi
  case $said in
    *"An error occurred ($code) when calling"*) ;;
    *) echo "want $code: $said"; exit 1 ;;
  esac
}

# has TEXT IN: the answer must hold the text.
has() {
  case $2 in
    *"$1"*) ;;
    *) echo "no $1 in: $2"; exit 1 ;;
  esac
}

db create-table --table-name orders --billing-mode PAY_PER_REQUEST --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
  --attribute-definitions AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=N >/dev/null
db put-item --table-name orders --item '{"PK":{"S":"a"},"SK":{"N":"1"},"exact":{"N":"12345678901234567890.123456789012345678"}}'
got=$(db get-item --table-name orders --key '{"PK":{"S":"a"},"SK":{"N":"1"}}' --consistent-read)
has '"12345678901234567890.123456789012345678"' "$got"
refused ConditionalCheckFailedException put-item --table-name orders --item '{"PK":{"S":"a"},"SK":{"N":"1"}}' \
  --condition-expression 'attribute_not_exists(PK)'
puts=$(for n in 1 2 3 4 5 6 7; do printf '%s{"PutRequest":{"Item":{"PK":{"S":"many"},"SK":{"N":"%s"}}}}' "${comma-}" "$n"; comma=,; done)
db batch-write-item --request-items "{\"orders\":[$puts]}" >/dev/null
# The CLI reads page after page by itself.
has 28 "$(db query --table-name orders --page-size 2 --key-condition-expression 'PK = :p' --expression-attribute-values '{":p":{"S":"many"}}' \
  --query 'sum(Items[].SK.N.to_number(@))')"
has NextToken "$(db query --table-name orders --max-items 3 --key-condition-expression 'PK = :p' --expression-attribute-values '{":p":{"S":"many"}}')"
db transact-write-items --transact-items '[{"Put":{"TableName":"orders","Item":{"PK":{"S":"t"},"SK":{"N":"1"}}}}]'
refused TransactionCanceledException transact-write-items --transact-items \
  '[{"Put":{"TableName":"orders","Item":{"PK":{"S":"t"},"SK":{"N":"1"}},"ConditionExpression":"attribute_not_exists(PK)"}}]'
has expires "$(db update-time-to-live --table-name orders --time-to-live-specification Enabled=true,AttributeName=expires)"
refused ResourceNotFoundException describe-table --table-name none
db delete-table --table-name orders >/dev/null
echo ok
