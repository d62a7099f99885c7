/// A field that can be `null`, which is not the same as absent.
package enum Nullable<Value> {
    case absent
    case null
    case value(Value)

    package var value: Value? { if case .value(let value) = self { value } else { nil } }

    package func map<Other>(_ transform: (Value) -> Other) -> Nullable<Other> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .value(let value): .value(transform(value))
        }
    }
}

extension Nullable: Equatable where Value: Equatable {}
extension Nullable: Sendable where Value: Sendable {}
