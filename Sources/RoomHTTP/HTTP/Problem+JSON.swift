import HTTPTypes
import NIOCore
import RoomJSON

extension Problem {
    /// `{"message":"…","code":"…"}`, as Scaledrone's libraries read errors.
    var messageBody: ByteBuffer {
        var body = ByteBuffer(string: "{\"message\":")
        body.writeJSONString(self.detail)
        body.writeString(",\"code\":")
        body.writeJSONString(self.code.word)
        body.writeString("}")
        return body
    }

    /// `application/problem+json`.
    var problemBody: ByteBuffer {
        var body = ByteBuffer(string: "{\"type\":\"about:blank\",\"title\":")
        body.writeJSONString(self.status.reasonPhrase)
        body.writeString(",\"status\":\(self.status.code),\"detail\":")
        body.writeJSONString(self.detail)
        body.writeString(",\"code\":")
        body.writeJSONString(self.code.word)
        body.writeString("}")
        return body
    }
}
