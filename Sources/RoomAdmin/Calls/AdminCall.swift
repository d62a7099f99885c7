import NIOCore
import RoomDocuments

/// A request to the admin API with the type of its answer.
///
/// ```
/// let channel = try await admin.send(.channel("shop"))
/// ```
public struct AdminCall<Answer: Sendable>: Sendable {
    /// The request; its ``AdminRequest/timeout`` and ``AdminRequest/version`` can be changed.
    public var request: AdminRequest
    let read: @Sendable (ByteBuffer) throws(AdminError) -> Answer

    init(_ request: AdminRequest, read: @escaping @Sendable (ByteBuffer) throws(AdminError) -> Answer) {
        self.request = request
        self.read = read
    }

    /// A call of an app's own, whose answer is a value of one of its types. Names in snake_case become camelCase.
    public init(_ request: AdminRequest, as type: Answer.Type = Answer.self) where Answer: Decodable {
        self.init(request) { body throws(AdminError) in try AdminResponse.decode(type, from: body) }
    }

    /// A call whose answer says nothing.
    public init(_ request: AdminRequest) where Answer == Void {
        self.init(request) { _ in }
    }

    init(document request: AdminRequest) where Answer: AdminDocument {
        self.init(request) { body throws(AdminError) in try Answer(json: body) }
    }
}

/// The answer to a call: the value, and the JSON that it was read from.
public struct AdminAnswer<Value: Sendable>: Sendable {
    /// The answer without a type. Its JSON also has the fields that only a newer version of this package knows.
    public let response: AdminResponse
    let call: AdminCall<Value>

    /// The answer as a value.
    ///
    /// - Throws: ``AdminError/Code/unexpectedAnswer`` if the broker is of a version with other answers.
    public func value() throws(AdminError) -> Value { try self.call.read(self.response.body) }
}

/// A request for a list of the admin API, which comes in pages.
///
/// ```
/// for try await room in admin.list(.rooms(of: "shop")) { print(room.name, room.members) }
/// ```
public struct AdminList<Element: Sendable>: Sendable {
    /// The request for the first page, without its length.
    public let request: AdminRequest
    /// The field of a page that has the list.
    let field: StaticString
    /// The parameter that takes what `next` has said.
    let cursor: String
    let read: @Sendable (ByteBuffer) throws(AdminError) -> Element

    /// A list of an app's own, whose elements are values of one of its types. Names in snake_case become camelCase.
    ///
    /// - Parameters:
    ///   - request: the request for the first page, without its length.
    ///   - field: the field of each page that has the list.
    ///   - cursor: the parameter that takes the `next` of the page before.
    ///   - type: the type of the elements.
    public init(
        _ request: AdminRequest,
        field: StaticString,
        cursor: String = "after",
        as type: Element.Type = Element.self
    ) where Element: Decodable {
        self.request = request
        self.field = field
        self.cursor = cursor
        self.read = { json throws(AdminError) in try AdminResponse.decode(type, from: json) }
    }

    init(
        documents field: StaticString,
        _ request: AdminRequest,
        cursor: String = "after"
    ) where Element: AdminDocument {
        self.request = request
        self.field = field
        self.cursor = cursor
        self.read = { [names = Element.names] json throws(AdminError) in try Element(json: json, names: names) }
    }
}
