import NIOCore
import RoomDelivery
import RoomJSON
import RoomModel

/// The bodies of REST's answers.
enum RESTAnswers {
    /// `{"id":"…","seq":1,"timestamp":1}`
    static func receipt(_ receipt: ExternalPublishReceipt) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(128)
        body.writeString("{")
        self.write(receipt, to: &body)
        body.writeString("}")
        return body
    }

    /// `{"users_count":1}`
    static func stats(users: Int) -> ByteBuffer {
        ByteBuffer(string: "{\"users_count\":\(users)}")
    }

    static func strings(_ texts: some Sequence<String>) -> ByteBuffer {
        var body = ByteBuffer()
        self.write(texts, to: &body)
        return body
    }

    /// `{"room":["id"]}`
    static func roomMembers(_ rooms: [(RoomName, [ClientID])]) -> ByteBuffer {
        var body = ByteBuffer()
        body.writeString("{")
        for (index, room) in rooms.enumerated() {
            if index > 0 { body.writeString(",") }
            body.writeJSONString(room.0.text)
            body.writeString(":")
            self.write(room.1.lazy.map(\.text), to: &body)
        }
        body.writeString("}")
        return body
    }

    /// `{"rooms":[…]}`, and before it the `message` and `code` of the first failure, if there is one.
    static func receipts(_ results: [(RoomName, Result<ExternalPublishReceipt, RequestError>)]) -> ByteBuffer {
        var body = ByteBuffer()
        body.writeString("{")
        if let failure = self.firstFailure(results) {
            let count = results.count { if case .failure = $0.1 { true } else { false } }
            body.writeString("\"message\":")
            body.writeJSONString("not published into \(count) of \(results.count) rooms: \(failure.text)")
            body.writeString(",\"code\":\"\(failure.code.rawValue)\",")
        }
        body.writeString("\"rooms\":[")
        for (index, result) in results.enumerated() {
            body.writeString(index == 0 ? "{\"room\":" : ",{\"room\":")
            body.writeJSONString(result.0.text)
            body.writeString(",")
            self.write(result.1, to: &body)
            body.writeString("}")
        }
        body.writeString("]}")
        return body
    }

    static func firstFailure(_ results: [(RoomName, Result<ExternalPublishReceipt, RequestError>)]) -> RequestError? {
        for result in results {
            if case .failure(let error) = result.1 { return error }
        }
        return nil
    }

    private static func write(_ result: Result<ExternalPublishReceipt, RequestError>, to body: inout ByteBuffer) {
        switch result {
        case .success(let receipt): self.write(receipt, to: &body)
        case .failure(let error):
            body.writeString("\"error\":")
            body.writeJSONString(error.text)
            body.writeString(",\"code\":\"\(error.code.rawValue)\"")
        }
    }

    private static func write(_ receipt: ExternalPublishReceipt, to body: inout ByteBuffer) {
        body.writeString("\"id\":\"")
        body.writeID(receipt.id)
        body.writeString("\"")
        if let seq = receipt.seq {
            body.writeString(",\"seq\":")
            body.writeDecimal(Int64(clamping: seq))
        }
        body.writeString(",\"timestamp\":")
        body.writeDecimal(receipt.timestamp)
        if receipt.isDuplicate { body.writeString(",\"duplicate\":true") }
    }

    private static func write(_ texts: some Sequence<String>, to body: inout ByteBuffer) {
        body.writeString("[")
        var isFirst = true
        for text in texts {
            if !isFirst { body.writeString(",") }
            isFirst = false
            body.writeJSONString(text)
        }
        body.writeString("]")
    }
}
